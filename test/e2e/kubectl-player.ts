/** The player with stock kubectl. */
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { Player, Row } from './player.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 90_000;

/** The version of the kubectl on PATH, or undefined. */
export async function kubectlVersion(): Promise<string | undefined> {
  try {
    return JSON.parse((await run('kubectl', ['version', '--client', '-o', 'json'])).stdout).clientVersion.gitVersion as string;
  } catch {
    return undefined;
  }
}

export function kubectlPlayer(kubeconfig: string, cwd: string, version: string): Player {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const kubectl = async (args: readonly string[], more: Record<string, string> = {}): Promise<string> =>
    (await run('kubectl', [...args], { cwd, env: { ...env, ...more }, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 })).stdout;
  const inContext = (context: string | undefined) => (context === undefined ? [] : ['--context', context]);
  return {
    name: `kubectl ${version}`,
    apply: (file) => kubectl(['apply', '-f', file]),
    rows: async (resource, options = {}) =>
      parseTable(
        await kubectl([
          ...inContext(options.context),
          'get',
          resource,
          ...(options.name ? [options.name] : []),
          ...(options.wide ? ['-o', 'wide'] : []),
        ]),
      ),
    object: async (resource, name, context) => {
      const text = await kubectl([...inContext(context), 'get', resource, name, '--ignore-not-found', '-o', 'json']);
      return text.trim() === '' ? undefined : (JSON.parse(text) as KubeObject);
    },
    createDeployment: async (name, image) => void (await kubectl(['create', 'deployment', name, `--image=${image}`])),
    scale: async (deployment, replicas) => void (await kubectl(['scale', 'deploy', deployment, `--replicas=${replicas}`])),
    label: async (resource, name, key, value) => void (await kubectl(['label', resource, name, `${key}=${value}`])),
    patch: async (resource, name, patch) => void (await kubectl(['patch', resource, name, '-p', JSON.stringify(patch)])),
    edit: async (resource, name, from, to) =>
      void (await kubectl(['edit', resource, name], { KUBE_EDITOR: `sed -i s/${from}/${to}/` })),
    diff: async (file) => {
      try {
        return { code: 0, text: await kubectl(['diff', '-f', file]) };
      } catch (error) {
        const failed = error as { code: number; stdout: string };
        if (failed.code !== 1) throw error;
        return { code: 1, text: failed.stdout };
      }
    },
    remove: async (resource, name) => void (await kubectl(['delete', resource, name])),
    rolledOut: async (deployment) => void (await kubectl(['rollout', 'status', `deploy/${deployment}`, '--timeout=60s'])),
    available: async (deployment) =>
      void (await kubectl(['wait', '--for=condition=Available', `deploy/${deployment}`, '--timeout=60s'])),
    watchReady: (deployment, until) => watchReady(['get', 'deploy', deployment, '-w', '--no-headers'], { cwd, env }, until),
    describe: (resource, name) => kubectl(['describe', resource, name]),
  };
}

/** kubectl pads columns with at least three spaces; single spaces belong to headings and cells. */
export function parseTable(text: string): Row[] {
  const [heading = '', ...lines] = text.trimEnd().split('\n');
  const starts = [...heading.matchAll(/(?:^| {2,})(?=\S)/g)].map((match) => match.index + match[0].length);
  const cells = (line: string) => starts.map((start, i) => line.slice(start, starts[i + 1]).trim());
  const names = cells(heading);
  return lines.map((line) => Object.fromEntries(cells(line).map((cell, i) => [names[i] ?? '', cell])));
}

function watchReady(args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }, until: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn('kubectl', [...args], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    const seen: string[] = [];
    let rest = '';
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) seen.push(line.trim().split(/\s+/)[1] ?? '');
      if (seen.includes(until)) child.kill();
    });
    child.on('exit', () => {
      clearTimeout(timer);
      if (seen.includes(until)) resolve(seen);
      else reject(new Error(`kubectl get -w never printed ${until}: ${seen.join(' ')}`));
    });
  });
}
