/** Times of the API: RFC 3339 in UTC. `metav1.Time` keeps seconds, `metav1.MicroTime` six digits of a fraction. */

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** `metav1.Time`: `2026-01-02T03:04:05Z`, fraction cut. `ms` since the epoch. */
export function formatTime(ms: number): string {
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** `metav1.MicroTime`: `2026-01-02T03:04:05.006000Z`. `ms` since the epoch; fractions of a millisecond are kept to the microsecond. */
export function formatMicroTime(ms: number): string {
  const whole = Math.floor(ms);
  const micros = Math.floor((ms - whole) * 1000 + 1e-6);
  return `${new Date(whole).toISOString().slice(0, 23)}${String(micros).padStart(3, '0')}Z`;
}

/** Milliseconds since the epoch of an RFC 3339 text, whole. Throws RangeError with Go's wording. */
export function parseTime(text: string): number {
  return parse(text).ms;
}

/** The text as `metav1.Time` prints it: UTC, no fraction. Throws RangeError. */
export function canonicalTime(text: string): string {
  return formatTime(parse(text).ms);
}

/** The text as `metav1.MicroTime` prints it, in UTC. As upstream, exactly six digits of a fraction must be given. Throws RangeError. */
export function canonicalMicroTime(text: string): string {
  const { ms, fraction } = parse(text);
  if (fraction.length === 6) return `${formatTime(ms).slice(0, 19)}.${fraction}Z`;
  const rest = JSON.stringify(text.slice(19));
  throw new RangeError(
    `parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05.000000Z07:00": cannot parse ${rest} as ".000000"`,
  );
}

function parse(text: string): { ms: number; fraction: string } {
  const match = RFC3339.exec(text);
  if (!match) throw cannotParse(text);
  const fraction = match[7] ?? '';
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59)
    throw outOfRange(text);
  const offsetMs = offsetMinutes(match[8] ?? 'Z') * 60_000;
  return { ms: date.getTime() - offsetMs + Number(fraction.slice(0, 3).padEnd(3, '0')), fraction };
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

const LAYOUT = '2006-01-02T15:04:05Z07:00';

function outOfRange(text: string): RangeError {
  return new RangeError(`parsing time ${JSON.stringify(text)}: ${rangeFault(text)} out of range`);
}

function rangeFault(text: string): string {
  const [month, hour, minute] = [5, 11, 14].map((at) => Number(text.slice(at, at + 2))) as [number, number, number];
  if (month < 1 || month > 12) return 'month';
  if (hour > 23) return 'hour';
  if (minute > 59) return 'minute';
  if (Number(text.slice(17, 19)) > 59) return 'second';
  return 'day';
}

/** Go names the first piece of the layout that the text does not fit, and what was left of the text there. */
function cannotParse(text: string): RangeError {
  const pieces: [RegExp, string][] = [
    [/^\d{4}/, '2006'],
    [/^-/, '-'],
    [/^\d{2}/, '01'],
    [/^-/, '-'],
    [/^\d{2}/, '02'],
    [/^T/, 'T'],
    [/^\d{2}/, '15'],
    [/^:/, ':'],
    [/^\d{2}/, '04'],
    [/^:/, ':'],
    [/^\d{2}(\.\d+)?/, '05'],
    [/^(Z|[+-]\d{2}:\d{2})/, 'Z07:00'],
  ];
  let rest = text;
  for (const [piece, name] of pieces) {
    const match = piece.exec(rest);
    if (!match) {
      const reason = `cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`;
      return new RangeError(`parsing time ${JSON.stringify(text)} as ${JSON.stringify(LAYOUT)}: ${reason}`);
    }
    rest = rest.slice(match[0].length);
  }
  return new RangeError(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`);
}
