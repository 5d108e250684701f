/** Starts everything of `lamiral dev` in order, telling each step, and ends it in the opposite order. */
import { join } from 'node:path';
import { systemClock } from '../../shared/adapters/memory/clock.ts';
import { systemIds } from '../../shared/adapters/memory/ids.ts';
import { consoleLog } from '../../shared/adapters/memory/log.ts';
import { openSqlite } from '../../shared/adapters/sqlite/open.ts';
import { packageVersion } from '../../shared/cli/commands/version.ts';
import { keepAccess, readAccess } from '../kept-access.ts';
import { openCertificateAuthority } from '../tls.ts';
import { openAuditLog } from './audit-log.ts';
import { openControl, type Stats } from './control.ts';
import { type ControlPlane, createControlPlane } from './control-plane.ts';
import { startFunctions } from './functions.ts';
import { type Endpoint, writeKubeconfig } from './kubeconfig.ts';
import { serveHttps } from './listen.ts';
import { takeLock } from './lock.ts';
import { type JoinedMembers, joinMembers } from './members.ts';
import { createNarrator, type Narrator } from './narrator.ts';
import { oidcChecks } from './oidc.ts';
import type { DevOptions } from './options.ts';
import { createScreen, type Screen } from './screen.ts';

const FIRST_PORT = 6443;

export type Running = { url: string; stop(): Promise<void> };

/** Resolves when kubectl can be used. Rejects with LockedError, PortTakenError, or what failed; what was started by then is stopped again. */
export async function startDev(options: DevOptions, write: (text: string) => void, colour: boolean): Promise<Running> {
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    // The last that was started goes first; a closer that fails must not keep the others open.
    for (const close of closers.splice(0).reverse()) await close().catch((error: Error) => write(`${error.message}\n`));
  };
  try {
    return await startSteps(options, createScreen(write, Date.now, colour), closers, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startSteps(
  options: DevOptions,
  screen: Screen,
  closers: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<Running> {
  const clock = systemClock();
  const ids = systemIds();
  const log = consoleLog(options.verbose ? 'info' : 'error');
  const took = stopwatch();
  const lock = await takeLock(options.dataDir, Date.now, () =>
    openSqlite({ path: join(options.dataDir, 'lamiral.db'), durability: 'full', clock }),
  );
  const medium = lock.held;
  closers.push(async () => medium.close(), lock.release);
  screen.header(
    `lamiral dev   v${packageVersion()}   node ${process.versions.node.split('.').slice(0, 2).join('.')}   data ${options.shownDataDir}`,
  );

  const access = await readAccess(options.dataDir);
  const { token } = access;
  const plane = await openPlane(options, { store: medium.store, clock, ids, log, token }, closers);
  screen.step('store', `SQLite, ${plane.objects} objects`, took());

  const authority = await openCertificateAuthority(join(options.dataDir, 'pki'), Date.now);
  const api = await serveHttps(
    plane.server.app,
    await authority.serverCertificate('api'),
    options.port ?? (access.port || FIRST_PORT),
    options.port !== undefined,
  );
  closers.push(api.close);
  await keepAccess(options.dataDir, { token, port: api.port });
  await lock.publish(api.url);
  screen.step('api', api.url, took());
  const wanted = access.port || FIRST_PORT;
  if (options.port === undefined && api.port !== wanted)
    screen.detail(`port ${wanted} is taken by another program; --port chooses one`);

  const narrator = createNarrator(screen, () => clock.now());
  let isQuiet = true;
  const functions = await startFunctions({
    medium,
    plane,
    clock,
    ids,
    log,
    narrator: quietWhile(narrator, () => isQuiet),
    caCert: authority.caCert,
  });
  closers.push(async () => narrator.close(), functions.stop);
  const members = await joinMembers({ options, plane, authority, clock });
  closers.push(members.close);
  closers.push(await openControl(options.dataDir, members.actions, () => statsOf(medium)));
  const control: Endpoint = { name: 'lamiral', url: api.url, token, caCert: authority.caCert };
  await writeKubeconfig(join(options.dataDir, 'kubeconfig'), [control, ...members.endpoints]);
  sayMembers(screen, members, took());

  if (await plane.isDefaultPlaced())
    screen.step('policy', 'everywhere (Divide) places what is created in namespace default', undefined);
  screen.plain(`\n  export KUBECONFIG=${kubeconfigShown(options)}\n  kubectl apply -f examples/web.yaml\n`);
  isQuiet = false;
  return { url: api.url, stop };
}

/** The API server, with what it keeps beside the store: its audit log and the key of its tokens. */
async function openPlane(
  { dataDir, oidc }: DevOptions,
  deps: Pick<Parameters<typeof createControlPlane>[0], 'store' | 'clock' | 'ids' | 'log' | 'token'>,
  closers: (() => Promise<void>)[],
): Promise<ControlPlane> {
  const audit = await openAuditLog(join(dataDir, 'audit.log'), deps.log);
  closers.push(audit.close);
  const checks = await oidcChecks(oidc, deps);
  const keyPath = join(dataDir, 'pki', 'sa.key');
  const plane = await createControlPlane({ ...deps, keyPath, audit: audit.write, checks });
  closers.push(() => plane.server.close());
  return plane;
}

/** The start lines tell of the clusters themselves. */
function quietWhile(narrator: Narrator, isQuiet: () => boolean): Narrator {
  return { ...narrator, cluster: (change) => (isQuiet() ? undefined : narrator.cluster(change)) };
}

function statsOf(medium: ReturnType<typeof openSqlite>): Stats {
  const { user, system } = process.cpuUsage();
  return { ...medium.transactions(), rssBytes: process.memoryUsage.rss(), cpuMs: Math.round((user + system) / 1000) };
}

function sayMembers(screen: Screen, members: JoinedMembers, ms: number): void {
  screen.step('clusters', members.summary, ms);
  for (const line of members.lines) screen.detail(line);
}

/** The kubeconfig's path as it can be pasted into a shell. */
export function kubeconfigShown(options: Pick<DevOptions, 'shownDataDir'>): string {
  const path = `${options.shownDataDir.startsWith('/') ? '' : '$PWD/'}${options.shownDataDir}kubeconfig`;
  // Quoted only where a shell needs it; inside double quotes $PWD still counts.
  return /^[\w$./:@%+,-]+$/.test(path) ? path : `"${path.replace(/[\\"`]/g, '\\$&')}"`;
}

function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const ms = now - last;
    last = now;
    return ms;
  };
}
