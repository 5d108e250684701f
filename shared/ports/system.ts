/** The small ports: time, randomness, secrets, logs. Injected everywhere, so that tests are repeatable. */

/** Wall-clock time in epoch milliseconds. `sleep` never rejects: it resolves early when the signal aborts. */
export type Clock = { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };

/** Identifiers: `uid` a UUIDv4; `suffix` five characters for generateName. */
export type Ids = { uid(): string; suffix(): string };

/** Envelope encryption of what must not lie about in clear. Throws when the sealed text was changed or sealed elsewhere. */
export type Secrets = {
  seal(plain: string, context: string): Promise<string>;
  open(sealed: string, context: string): Promise<string>;
};

/** One structured line. `fields` hold plain values, never secrets. */
export type Log = {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
};

/** Counts and durations; units last in the name (`durationMs`, `bodyBytes`). */
export type Metrics = {
  count(name: string, value: number, labels?: Record<string, string>): void;
  observe(name: string, value: number, labels?: Record<string, string>): void;
};
