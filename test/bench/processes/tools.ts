/** Builds the load clients, and real Kubernetes once, cached outside the tree. */
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Tools } from '../context.ts';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** The version of Go on this machine, or undefined. */
export async function goVersion(): Promise<string | undefined> {
  try {
    return /go([\d.]+)/.exec((await run('go', ['version'])).stdout)?.[1];
  } catch {
    return undefined;
  }
}

/** Builds what is missing. The first time on a machine this takes some minutes; `say` tells so. */
export async function buildTools(root: string, dir: string, say: (text: string) => void): Promise<Tools> {
  const kubernetes = process.env.K8S ?? '1.35.4';
  const cache = process.env.KUBE_LAB_CACHE ?? join(homedir(), '.cache/kube-lab', kubernetes);
  const binDir = process.env.BIN ?? join(cache, 'bin');
  const isThere = async (name: string) =>
    access(join(binDir, name)).then(
      () => true,
      () => false,
    );
  const needed = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd', 'kubectl', 'kwok', 'kwok-stages.yaml'];
  if ((await Promise.all(needed.map(isThere))).includes(false)) {
    say('building Kubernetes, once: some minutes');
    await run(join(root, 'test/lab/build.sh'), ['cluster'], { maxBuffer: OUTPUT_BYTES_MAX });
  }
  const build = async (name: string) => {
    await run('go', ['build', '-o', join(dir, name), '.'], { cwd: join(root, 'test/bench', name), maxBuffer: OUTPUT_BYTES_MAX });
    return join(dir, name);
  };
  say('building the load clients');
  return { binDir, apibench: await build('apibench'), fedbench: await build('fedbench') };
}

/** Runs a load client that prints one JSON document. Rejects with what it wrote to standard error when it fails or takes longer than `ms`. */
export async function runJson<T>(program: string, args: readonly string[], ms: number): Promise<T> {
  const { stdout } = await run(program, [...args], { timeout: ms, maxBuffer: OUTPUT_BYTES_MAX });
  return JSON.parse(stdout) as T;
}
