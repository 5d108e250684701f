/** What `dev` shows: a line per start step with its time, then one calm line per placement. Plain where nobody watches. */

const GREEN = '\u001b[32m';
const DIM = '\u001b[2m';
const BOLD = '\u001b[1m';
const RED = '\u001b[31m';
const RESET = '\u001b[0m';
const STEP_WIDTH = 14;
const TEXT_WIDTH = 52;

export type Screen = {
  header(text: string): void;
  /** A start step that took `ms`. */
  step(name: string, text: string, ms: number | undefined): void;
  /** A line under a step. */
  detail(text: string): void;
  plain(text: string): void;
  /** What happened to a user's object, with the time of day. */
  happened(subject: string, text: string): void;
  problem(text: string): void;
};

/** `colour` off gives the same lines without escape sequences (NO_COLOR, pipes). */
export function createScreen(write: (text: string) => void, now: () => number, colour: boolean): Screen {
  const paint = (code: string, text: string) => (colour ? `${code}${text}${RESET}` : text);
  return {
    header: (text) => write(`${paint(BOLD, text)}\n`),
    step: (name, text, ms) =>
      write(
        `  ${paint(GREEN, colour ? '✓' : '*')} ${name.padEnd(STEP_WIDTH)}${text.padEnd(TEXT_WIDTH)}${ms === undefined ? '' : paint(DIM, formatTook(ms).padStart(8))}`
          .trimEnd()
          .concat('\n'),
      ),
    detail: (text) => write(`      ${text}\n`),
    plain: (text) => write(`${text}\n`),
    happened: (subject, text) => write(`${paint(DIM, timeOfDay(now()))}  ${subject.padEnd(24)}  ${text}\n`),
    problem: (text) => write(`${paint(RED, 'error:')} ${text}\n`),
  };
}

/** `12 ms`, `1.4 s`. */
export function formatTook(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `16:20:03`, in the local time of whoever looks. */
export function timeOfDay(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
