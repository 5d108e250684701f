import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ENTRY = fileURLToPath(new URL('../../../shared/cli/lamiral.mjs', import.meta.url));
const PATIENCE_MS = 30_000;

let dir = '';
let program: ChildProcess;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lamiral-process-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Starts `lamiral dev` without clusters, in a process group of its own; resolves when it has written `text`. */
async function startUntil(text: string): Promise<void> {
  program = spawn(process.execPath, [ENTRY, 'dev', '--clusters', '0', '--data', dir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [program.stdout, program.stderr]) stream?.setEncoding('utf8');
  program.stderr?.on('data', (part: string) => {
    written += part;
  });
  await new Promise<void>((resolve, reject) => {
    program.stdout?.on('data', (part: string) => {
      written += part;
      if (written.includes(text)) resolve();
    });
    program.on('close', () => reject(new Error(`it ended early: ${written}`)));
  });
}

test('dev ends with the command that started it, however that dies', { timeout: PATIENCE_MS }, async () => {
  await startUntil('kubectl apply');
  // The streams close when the last process that holds them ends: the one that serves.
  const ended = once(program, 'close');
  program.kill('SIGKILL');
  await ended;
  expect(program.signalCode).toBe('SIGKILL');
});

test('Ctrl-C before it is ready ends it at once, with the code of a shell', { timeout: PATIENCE_MS }, async () => {
  await startUntil('lamiral dev');
  const ended = once(program, 'close');
  process.kill(-(program.pid ?? Number.NaN), 'SIGINT');
  expect((await ended)[0]).toBe(130);
});
