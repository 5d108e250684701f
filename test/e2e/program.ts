/** Starts the real `lamiral dev` in a folder of its own, and ends it by its process id. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = new URL('../..', import.meta.url).pathname;
const ENTRY = join(ROOT, 'shared/cli/lamiral.mjs');

export type Program = {
  /** Data folder, and the kubeconfig in it. */
  dataDir: string;
  kubeconfig: string;
  /** What it printed so far. */
  output(): string;
  /** Resolves when the text was printed; rejects after `ms`, with what was printed instead. */
  printed(text: string | RegExp, ms: number): Promise<void>;
  /** Sends a signal to the program itself, and waits for its end; resolves to its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  pid: number;
};

/** A new data folder under the system's temporary one. */
export async function newDataDir(): Promise<{ dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'lamiral-e2e-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Starts `lamiral dev`. The child is its own group, so that a signal reaches all of it. */
export function startProgram(dataDir: string, flags: readonly string[] = []): Program {
  const child = spawn(process.execPath, [ENTRY, 'dev', '--data', dataDir, ...flags], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  let text = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  void ended.then(() => {
    for (const listener of listeners) listener();
  });
  return {
    dataDir,
    kubeconfig: join(dataDir, 'kubeconfig'),
    pid: child.pid ?? 0,
    output: () => text,
    printed: (wanted, ms) => waitForText(() => text, listeners, child, wanted, ms),
    end: async (signal) => {
      if (child.exitCode === null && child.pid) process.kill(-child.pid, signal);
      return ended;
    },
  };
}

function waitForText(
  text: () => string,
  listeners: Set<() => void>,
  child: ChildProcess,
  wanted: string | RegExp,
  ms: number,
): Promise<void> {
  const found = () => (typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text()));
  return new Promise((resolve, reject) => {
    const finish = (act: () => void) => {
      clearTimeout(timer);
      listeners.delete(check);
      act();
    };
    const check = () => {
      if (found()) finish(resolve);
      else if (child.exitCode !== null)
        finish(() => reject(new Error(`the program ended (${child.exitCode}) without printing ${wanted}:\n${text()}`)));
    };
    const timer = setTimeout(() => finish(() => reject(new Error(`not printed within ${ms} ms: ${wanted}\n${text()}`))), ms);
    listeners.add(check);
    check();
  });
}
