/** Two API servers for the same kubectl: ours alone, and a real kube-apiserver of the lab without controllers. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ADMIN, mastersOnly, staticTokens } from '../../localstack/access.ts';
import { writeKubeconfig } from '../../localstack/dev/kubeconfig.ts';
import { serveHttps } from '../../localstack/dev/listen.ts';
import { ensureObjects } from '../../localstack/seed.ts';
import { openCertificateAuthority } from '../../localstack/tls.ts';
import { systemClock } from '../../shared/adapters/memory/clock.ts';
import { systemIds } from '../../shared/adapters/memory/ids.ts';
import { memoryLog } from '../../shared/adapters/memory/log.ts';
import { openMemory } from '../../shared/adapters/memory/open.ts';
import { builtInDefinitions } from '../../shared/apis/built-in.ts';
import { createRegistry } from '../../shared/apis/registry.ts';
import { seedObjects } from '../../shared/apis/seeds.ts';
import { defaultAdmission } from '../../shared/apiserver/admission/chain.ts';
import { createApiServer } from '../../shared/apiserver/create.ts';
import { ROOT } from './program.ts';

const run = promisify(execFile);
/** Index of the lab cluster: far from those of other tests, so that ports never meet. */
const LAB_INDEX = 47;
const TOKEN = 'kubectl-test';

/** The server's name in a report, and how kubectl reaches it. */
export type Endpoint = { name: string; kubeconfig: string; close(): Promise<void> };

/** The lab's binaries; undefined when they were never built here. */
export function labBinaries(): string | undefined {
  const dir = join(process.env.KUBE_LAB_CACHE ?? join(homedir(), '.cache/kube-lab/1.35.4'), 'bin');
  return existsSync(join(dir, 'kube-apiserver')) && existsSync(join(dir, 'kubectl')) ? dir : undefined;
}

/** Ours: built-in kinds, seeded as a fresh cluster is. */
export async function startOurs(dir: string): Promise<Endpoint> {
  const clock = systemClock();
  const medium = openMemory({ clock });
  const registry = createRegistry(builtInDefinitions());
  const server = createApiServer({
    store: medium.store,
    registry: () => registry,
    clock,
    ids: systemIds(),
    log: memoryLog(),
    authenticate: staticTokens(new Map([[TOKEN, ADMIN]])),
    authorize: mastersOnly,
    admission: defaultAdmission({
      store: medium.store,
      registry: () => registry,
      clock,
      ids: systemIds(),
      log: memoryLog(),
    }),
    views: new Map(),
    version: { major: '1', minor: '35', gitVersion: 'v1.35.4' },
    readiness: new Map(),
  });
  await ensureObjects(server, registry, seedObjects());
  const authority = await openCertificateAuthority(join(dir, 'tls'), clock.now);
  const listening = await serveHttps(server.app, await authority.serverCertificate('server'), 0, false);
  const kubeconfig = join(dir, 'ours.kubeconfig');
  await writeKubeconfig(kubeconfig, [{ name: 'test', url: listening.url, caCert: authority.caCert, token: TOKEN }]);
  const close = async () => {
    await server.close();
    await listening.close();
    await medium.close();
  };
  return { name: 'ours', kubeconfig, close };
}

/** The real one. Nothing but kube-apiserver and etcd: what is written stays as it was written. */
export async function startReal(dir: string): Promise<Endpoint> {
  const lab = join(dir, 'lab');
  await mkdir(lab, { recursive: true });
  const env = { ...process.env, RUN: lab, FIRST: String(LAB_INDEX) };
  const cluster = (...args: string[]) => run('bash', [`${ROOT}test/lab/cluster.sh`, ...args], { env });
  const close = async () => void (await cluster('wipe'));
  try {
    await cluster('start', '1', '--nodes', '0', '--no-kcm', '--no-sched', '--unsafe-no-fsync');
  } catch (error) {
    await close();
    throw error;
  }
  return { name: 'kube-apiserver', kubeconfig: join(lab, `c${LAB_INDEX}`, 'token.kubeconfig'), close };
}

export type Printed = { code: number; out: string; err: string };

/** One kubectl against one server, with caches of its own. */
export function kubectlOf(binary: string, dir: string, endpoint: Endpoint) {
  const home = join(dir, `home-${endpoint.name}`);
  const env = { ...process.env, KUBECONFIG: endpoint.kubeconfig, HOME: home, KUBECACHEDIR: home };
  return async (args: readonly string[], files: Readonly<Record<string, string>>): Promise<Printed> => {
    await mkdir(home, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
    try {
      const { stdout, stderr } = await run(binary, [...args], { cwd: dir, env, timeout: 60_000, maxBuffer: 32 * 1024 * 1024 });
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, out: stdout, err: stderr };
    }
  };
}
