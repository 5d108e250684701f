/** What the suite is run against: the control plane and a simulated member of one `lamiral dev`, or any server of a kubeconfig. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NODE_FLAGS } from '../../shared/cli/node-flags.ts';
import { parseYaml, stringifyYaml } from '../../shared/machinery/codec/yaml.ts';

const START_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 20_000;
/** The last line that it prints before kubectl can be used. */
const READY = 'kubectl apply -f';
const CONTROL_PLANE_CONTEXT = 'lamiral';

/** Kubeconfigs whose current context is the one to test. */
export type Dev = { controlPlane: string; member: string };

/**
 * Starts the real program with one simulated member, in a folder of its own under `dir`, at the next free port.
 * Rejects with what it printed when it does not come up. `onEnd` gets what ends it.
 */
export async function startDev(root: string, dir: string, onEnd: (end: () => Promise<void>) => void): Promise<Dev> {
  const data = await mkdtemp(join(dir, 'data-'));
  const args = [...NODE_FLAGS, join(root, 'localstack/dev/main.ts'), '--data', data, '--clusters', '1'];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  onEnd(async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  });
  await new Promise<void>((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`not ready within ${START_TIMEOUT_MS} ms:\n${text}`)), START_TIMEOUT_MS);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (!text.includes(READY)) return;
        clearTimeout(timer);
        resolve();
      });
    void ended.then((code) => {
      clearTimeout(timer);
      reject(new Error(`lamiral dev ended (${code}):\n${text}`));
    });
  });
  const kubeconfig = await readFile(join(data, 'kubeconfig'), 'utf8');
  const member = contextsOf(kubeconfig).find((name) => name !== CONTROL_PLANE_CONTEXT);
  if (member === undefined) throw new Error('lamiral dev joined no simulated member');
  return {
    controlPlane: await writeFor(dir, kubeconfig, CONTROL_PLANE_CONTEXT),
    member: await writeFor(dir, kubeconfig, member),
  };
}

type Kubeconfig = { 'current-context': string; contexts: { name: string }[] };

/** Names of a kubeconfig's contexts. */
export function contextsOf(text: string): string[] {
  return (parseYaml(text) as unknown as Kubeconfig).contexts.map(({ name }) => name);
}

/** The same kubeconfig with another current context. */
export function withContext(text: string, context: string): string {
  return stringifyYaml({ ...(parseYaml(text) as unknown as Kubeconfig), 'current-context': context });
}

async function writeFor(dir: string, text: string, context: string): Promise<string> {
  const path = join(dir, `${context}.kubeconfig`);
  await writeFile(path, withContext(text, context), { mode: 0o600 });
  return path;
}
