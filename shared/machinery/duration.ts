/** Durations: the short form of `kubectl get` (k8s.io/apimachinery/pkg/util/duration) and Go's `time.Duration` text. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** `45s`, `3m20s`, `47m`, `5h12m`, `2d3h`, `400d`, `3y20d`: what the Age column shows. More than a second in the future is `<invalid>`. */
export function formatHumanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 10) return twoParts(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(ms / HOUR);
  if (hours < 8) return twoParts(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return twoParts(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  if (days < 2920) return twoParts(years, 'y', days % 365, 'd');
  return `${years}y`;
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
]);
/** Go's durations are nanoseconds in an int64: about 292 years. */
const DURATION_MS_MAX = 9_223_372_036_854;
const TERM = /^(\d+\.?\d*|\.\d+)([^\d.]*)/;

/** Milliseconds of a Go duration (`1h30m`, `-1.5s`, `300ms`). Throws SyntaxError with Go's wording. */
export function parseGoDuration(text: string): number {
  const quoted = JSON.stringify(text);
  const negative = text.startsWith('-');
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0;
  if (rest === '') throw new SyntaxError(`time: invalid duration ${quoted}`);
  let ms = 0;
  while (rest !== '') {
    const match = TERM.exec(rest);
    if (!match) throw new SyntaxError(`time: invalid duration ${quoted}`);
    const unit = match[2] ?? '';
    if (unit === '') throw new SyntaxError(`time: missing unit in duration ${quoted}`);
    const unitMs = UNIT_MS.get(unit);
    if (unitMs === undefined) throw new SyntaxError(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    ms += Number(match[1]) * unitMs;
    rest = rest.slice(match[0].length);
  }
  if (ms > DURATION_MS_MAX) throw new SyntaxError(`time: invalid duration ${quoted}`);
  return negative && ms !== 0 ? -ms : ms;
}

/** `1h30m0s`, `1.5s`, `250ms`, `1µs`, `0s`: Go's `Duration.String`. */
export function formatGoDuration(ms: number): string {
  const nanos = BigInt(Math.round(ms * 1e6));
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = decimal(size % 60_000_000_000n, 9);
  if (minutes === 0n) return `${sign}${seconds}s`;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}s`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}s`;
}

function twoParts(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** `value / 10^digits` without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const divisor = 10n ** BigInt(digits);
  const fraction = String(value % divisor)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / divisor) : `${value / divisor}.${fraction}`;
}
