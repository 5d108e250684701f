/** Finds upstream's `e2e.test` and `ginkgo`: on PATH, in the lab's cache, or built there once. */
import { execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const VERSION = process.env.K8S ?? '1.35.4';

/** Paths of what a run needs. */
export type Binaries = { e2e: string; ginkgo: string; kubectl: string };

/** Resolves to undefined when they are not there and Go, which builds them, is not either. Rejects when the build fails. */
export async function findBinaries(root: string, say: (text: string) => void): Promise<Binaries | undefined> {
  const cache = process.env.KUBE_LAB_CACHE ?? join(homedir(), '.cache/kube-lab', VERSION);
  const folders = [process.env.BIN ?? join(cache, 'bin'), ...(process.env.PATH ?? '').split(delimiter)];
  const found = await lookFor(folders);
  if (found) return found;
  if (!(await hasGo())) return undefined;
  say(`building e2e.test, ginkgo and kubectl ${VERSION}, once: some minutes`);
  await build(join(root, 'test/lab/build.sh'));
  return lookFor(folders);
}

async function lookFor(folders: readonly string[]): Promise<Binaries | undefined> {
  const [e2e, ginkgo, kubectl] = await Promise.all(['e2e.test', 'ginkgo', 'kubectl'].map((name) => executable(folders, name)));
  return e2e && ginkgo && kubectl ? { e2e, ginkgo, kubectl } : undefined;
}

async function executable(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    if (folder !== '' && (await isExecutable(path))) return path;
  }
  return undefined;
}

const isExecutable = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function hasGo(): Promise<boolean> {
  return promisify(execFile)('go', ['version']).then(
    () => true,
    () => false,
  );
}

/** Its words go to standard error: a build that fails explains itself there. */
async function build(script: string): Promise<void> {
  const child = spawn('nice', ['-n', '5', script, 'conformance'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('exit', resolve));
  if (code !== 0) throw new Error(`${script} conformance ended (${code})`);
}
