/** The program behind `lamiral dev`. Ends cleanly on Ctrl-C; says in a sentence what kept it from starting. */

import { PortTakenError } from './listen.ts';
import { LockedError } from './lock.ts';
import { type DevOptions, parseOptions, UsageError } from './options.ts';
import { startDev } from './start.ts';

const USAGE = 2;

async function main(): Promise<void> {
  const write = (text: string) => void process.stdout.write(text);
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
  let options: DevOptions | undefined;
  try {
    options = parseOptions(process.argv.slice(2), process.cwd());
    const running = await startDev(options, write, colour);
    const end = once(() => {
      write('\n  stopping ...\n');
      void running.stop().then(() => {
        write('  stopped; `npm start` goes on where it was\n');
        process.exit(0);
      });
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  } catch (error) {
    const { text, code } = explain(error, options);
    process.stderr.write(`error: ${text}\n`);
    if (options?.verbose && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exit(code);
  }
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
  return { text: error instanceof Error ? error.message : String(error), code: 1 };
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
