/** The program behind `lamiral dev`. Ends cleanly on Ctrl-C; says in a sentence what kept it from starting. */

import { PortTakenError } from './listen.ts';
import { LockedError } from './lock.ts';
import { type DevOptions, parseOptions, UsageError } from './options.ts';
import { type Running, startDev } from './start.ts';

const USAGE = 2;
/** As a shell counts an end by Ctrl-C. */
const INTERRUPTED = 130;

async function main(): Promise<void> {
  const write = (text: string) => void process.stdout.write(text);
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
  let options: DevOptions | undefined;
  try {
    options = parseOptions(process.argv.slice(2), process.cwd());
    let running: Running | undefined;
    onEnd(() => endWith(running, write));
    running = await startDev(options, write, colour);
  } catch (error) {
    const { text, code } = explain(error, options);
    process.stderr.write(`error: ${text}\n`);
    if (options?.verbose && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exit(code);
  }
}

/** Calls `end` on Ctrl-C and its like, and when the `lamiral` that started this program is gone: nobody could stop it any more. */
function onEnd(end: () => void): void {
  const act = once(end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, act);
  process.on('disconnect', act);
}

/** Before everything runs there is nothing to wait for: what is on disk is whole at any instant. */
function endWith(running: Running | undefined, write: (text: string) => void): void {
  if (!running) {
    write('\n  stopped before it was ready; `npm start` begins again\n');
    process.exit(INTERRUPTED);
  }
  write('\n  stopping ...\n');
  void running.stop().then(() => {
    write('  stopped; `npm start` goes on where it was\n');
    process.exit(0);
  });
}

function explain(error: unknown, options: DevOptions | undefined): { text: string; code: number } {
  if (error instanceof UsageError) return { text: `${error.message}\n  lamiral dev --help shows the options.`, code: USAGE };
  if (error instanceof LockedError)
    return {
      text: `the data in ${options?.shownDataDir} is in use: ${error.message}\n  Use that one, stop it (Ctrl-C in its terminal), or start this one with other data: lamiral dev --data DIR`,
      code: 1,
    };
  if (error instanceof PortTakenError)
    return { text: `${error.message}\n  Choose another with --port, or leave --port away: the next free one is taken.`, code: 1 };
  return { text: fileProblem(error) ?? (error instanceof Error ? error.message : String(error)), code: 1 };
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EEXIST: 'is in the way: it is no folder',
  ENOTDIR: 'lies below something that is no folder',
  EISDIR: 'is a folder',
  EACCES: 'may not be read or written by you',
  EPERM: 'may not be read or written by you',
  EROFS: 'lies on a disk that cannot be written',
  ENOSPC: 'cannot be written: the disk is full',
};

/** What the system says about a file, in words; undefined for other errors. */
function fileProblem(error: unknown): string | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException;
  const text = FILE_PROBLEMS[code];
  return text === undefined || path === undefined ? undefined : `${path} ${text}`;
}

/** A second Ctrl-C while stopping changes nothing. */
function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

await main();
