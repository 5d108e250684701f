/** Our own control plane, as `lamiral dev` starts it, in a folder of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stats } from '../../../localstack/dev/control.ts';
import { callDev } from '../../../shared/cli/local-control.ts';
import { NODE_FLAGS } from '../../../shared/cli/node-flags.ts';
import { parseYaml } from '../../../shared/machinery/codec/yaml.ts';
import type { BenchContext } from '../context.ts';
import { attachProfiler, type Profiler } from './profiler.ts';

const START_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 20_000;
/** A port that neither the lab's clusters nor an ordinary `lamiral dev` use. */
const PORT = 27_443;
/** The last lines that it prints when kubectl can be used. */
const READY = 'kubectl apply -f';
/** Quiet is three seconds (in a quick run one) in which no more is written than clusters that are looked at may cause. */
const QUIET_PERIODS = 3;
const PERIOD_MS = { full: 1000, quick: 350 };
const QUIET_WRITES_MAX = 3;

export type Dev = {
  pid: number;
  dataDir: string;
  kubeconfig: string;
  url: string;
  token: string;
  ca: string;
  stats(): Promise<Stats>;
  /** Waits until the store is quiet, `ms` at most; resolves to the counters at the beginning of the quiet. */
  quiet(ms: number): Promise<Stats>;
  /** Present when the run takes profiles. */
  profiler: Profiler | undefined;
  stop(): Promise<void>;
};

/** A new data folder within the run's own. */
export function newDataDir(context: BenchContext): Promise<string> {
  return mkdtemp(join(context.dir, 'data-'));
}

/** Starts it; resolves when kubectl could be used. */
export async function startDev(context: BenchContext, dataDir: string, flags: readonly string[]): Promise<Dev> {
  const launched = launchDev(context, dataDir, flags);
  await launched.ready;
  const inspector = /ws:\S+/.exec(launched.output())?.[0];
  const profiler = inspector === undefined ? undefined : await attachProfiler(inspector);
  return {
    pid: launched.pid,
    dataDir,
    kubeconfig: join(dataDir, 'kubeconfig'),
    ...(await readAccess(dataDir)),
    stats: () => statsOf(dataDir),
    quiet: (ms) => untilQuiet(dataDir, ms, context.isQuick ? PERIOD_MS.quick : PERIOD_MS.full),
    profiler,
    stop: async () => {
      profiler?.close();
      await launched.stop();
    },
  };
}

export type Launched = { pid: number; ready: Promise<void>; output(): string; stop(): Promise<void> };

/** Starts the program without waiting until it is ready. */
export function launchDev(context: BenchContext, dataDir: string, flags: readonly string[]): Launched {
  const inspect = context.profileDir === undefined ? [] : ['--inspect=127.0.0.1:0'];
  const program = join(context.root, 'localstack/dev/main.ts');
  const args = [...NODE_FLAGS, ...inspect, program, '--data', dataDir, '--port', String(PORT), ...flags];
  const env = { ...process.env, NO_COLOR: '1' };
  const child = spawn(process.execPath, args, { cwd: context.root, stdio: ['ignore', 'pipe', 'pipe'], env });
  let text = '';
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready within ${START_TIMEOUT_MS} ms:\n${text}`)), START_TIMEOUT_MS);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (!text.includes(READY)) return;
        clearTimeout(timer);
        resolve();
      });
    child.on('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`lamiral dev ended (${code}):\n${text}`));
    });
  });
  // Whoever does not wait for it is not to be ended by its rejection.
  ready.catch(() => undefined);
  return { pid: child.pid ?? 0, ready, output: () => text, stop: context.onEnd(() => endChild(child)) };
}

/** Asks it to end, and ends it when it does not. */
async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

type Kubeconfig = {
  'current-context': string;
  clusters: { name: string; cluster: { server: string; 'certificate-authority-data': string } }[];
  users: { name: string; user: { token: string } }[];
};

/** Address and credentials of the control plane, from the kubeconfig that it wrote. */
export async function readAccess(dataDir: string): Promise<{ url: string; token: string; ca: string }> {
  const config = parseYaml(await readFile(join(dataDir, 'kubeconfig'), 'utf8')) as unknown as Kubeconfig;
  const name = config['current-context'];
  const cluster = config.clusters.find((entry) => entry.name === name)?.cluster;
  const user = config.users.find((entry) => entry.name === name)?.user;
  if (!cluster || !user) throw new Error(`the kubeconfig in ${dataDir} has no context ${name}`);
  return {
    url: cluster.server,
    token: user.token,
    ca: Buffer.from(cluster['certificate-authority-data'], 'base64').toString(),
  };
}

async function statsOf(dataDir: string): Promise<Stats> {
  const { status, body } = await callDev(dataDir, 'GET', '/stats');
  if (status !== 200) throw new Error(`/stats answered ${status}: ${body}`);
  return JSON.parse(body) as Stats;
}

async function untilQuiet(dataDir: string, ms: number, periodMs: number): Promise<Stats> {
  const turns = Math.ceil(ms / periodMs);
  let since = await statsOf(dataDir);
  let last = since;
  let periods = 0;
  for (let turn = 0; turn < turns && periods < QUIET_PERIODS; turn++) {
    await sleep(periodMs);
    const now = await statsOf(dataDir);
    const isQuiet = now.store - last.store <= QUIET_WRITES_MAX;
    periods = isQuiet ? periods + 1 : 0;
    if (!isQuiet) since = now;
    last = now;
  }
  return since;
}
