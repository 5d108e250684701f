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

/** One HTTPS request to a webhook. Redirects are never followed. */
export type HttpRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** PEM of the authorities to believe; absent: those of the system. */
  ca?: string;
  /** Where to connect instead of the URL's host; the URL's host stays the name that the certificate must bear. */
  connectTo?: { host: string; port: number };
  timeoutMs: number;
  bodyBytesMax: number;
};
export type HttpAnswer =
  | { type: 'answer'; status: number; body: string }
  /** `reason` in Go's words: `context deadline exceeded`, `dial tcp 127.0.0.1:1: connect: connection refused`. */
  | { type: 'failure'; reason: string };

/** Requests to addresses that an administrator named. Never rejects. */
export type Http = { send(request: HttpRequest): Promise<HttpAnswer> };
