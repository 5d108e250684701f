/** Real Kubernetes control planes on loopback, by test/lab/cluster.sh. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Endpoint, kubeconfigText } from '../../../localstack/dev/kubeconfig.ts';
import type { BenchContext } from '../context.ts';

const run = promisify(execFile);
const FIRST_PORT = 20_000;
const PORTS_EACH = 100;
const API_PORT = 10;
const START_TIMEOUT_MS = 180_000;

export type LabCluster = Endpoint & { dir: string; token: string };
export type Lab = {
  clusters: readonly LabCluster[];
  /** A kubeconfig with a context for each. */
  kubeconfig: string;
  pidOf(cluster: LabCluster, program: 'kube-apiserver' | 'etcd'): Promise<number>;
  stop(): Promise<void>;
};

/** `first`: number of the first cluster, which gives name and ports. `controllers`: with kcm, scheduler and three fake nodes each. */
export type LabOptions = { first: number; count: number; controllers: boolean };

/** Starts clusters; resolves when they can be used. They sync every write to disk, as ours does. */
export async function startLab(context: BenchContext, { first, count, controllers }: LabOptions): Promise<Lab> {
  const { binDir } = await context.tools();
  const dir = join(context.dir, `lab-${first}`);
  const script = join(context.root, 'test/lab/cluster.sh');
  const env = { ...process.env, BIN: binDir, RUN: dir, FIRST: String(first) };
  const stop = context.onEnd(async () => void (await run(script, ['wipe'], { env })));
  const flags = controllers ? ['--nodes', '3', '--node-pods', '1000'] : ['--nodes', '0', '--no-kcm', '--no-sched', '--no-kwok'];
  context.say(`starting ${count} real control plane${count === 1 ? '' : 's'}${controllers ? ' with controllers and nodes' : ''}`);
  await run(script, ['start', String(count), ...flags], { env, timeout: START_TIMEOUT_MS });
  const clusters = await Promise.all(Array.from({ length: count }, (_, i) => describeCluster(dir, first + i)));
  const kubeconfig = join(dir, 'members.yaml');
  await writeFile(kubeconfig, kubeconfigText(clusters), { mode: 0o600 });
  return {
    clusters,
    kubeconfig,
    pidOf: async (cluster, program) => Number(await readFile(join(cluster.dir, 'pids', program), 'utf8')),
    stop,
  };
}

async function describeCluster(labDir: string, number: number): Promise<LabCluster> {
  const dir = join(labDir, `c${number}`);
  return {
    dir,
    name: `c${number}`,
    url: `https://127.0.0.1:${FIRST_PORT + PORTS_EACH * number + API_PORT}`,
    caCert: await readFile(join(dir, 'pki/ca.crt'), 'utf8'),
    token: (await readFile(join(dir, 'token'), 'utf8')).trim(),
  };
}
