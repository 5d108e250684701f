/** Logs: one JSON line per entry on standard error, or kept for a test to read. */
import type { Log } from '../../ports/system.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
/** From the most talkative to the most severe. */
export type LogLevel = (typeof LEVELS)[number];

/** One entry as `memoryLog` keeps it. */
export type LogEntry = { level: LogLevel; message: string; fields: Record<string, unknown> };

/** Lines at or above `level`: `{"time","level","message",...fields}`. */
export function consoleLog(level: LogLevel): Log {
  const least = LEVELS.indexOf(level);
  return logTo((entry) => {
    if (LEVELS.indexOf(entry.level) < least) return;
    const line = { time: new Date().toISOString(), level: entry.level, message: entry.message, ...entry.fields };
    process.stderr.write(`${JSON.stringify(line, plain)}\n`);
  });
}

/** Keeps every entry, in order. */
export function memoryLog(): Log & { entries: readonly LogEntry[] } {
  const entries: LogEntry[] = [];
  return { ...logTo((entry) => void entries.push(entry)), entries };
}

function logTo(write: (entry: LogEntry) => void): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Record<string, unknown> = {}) =>
      write({ level, message, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** JSON cannot hold errors and bigints by itself. */
function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error) return value.message;
  return typeof value === 'bigint' ? String(value) : value;
}
