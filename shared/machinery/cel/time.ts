/** Durations and timestamps: Go's duration text, RFC 3339 with nanoseconds, parts of a date in a time zone. */
import { checkedDuration, checkedTimestamp } from './operators.ts';
import { type CelDuration, type CelTimestamp, fail } from './values.ts';

const NANOS = 1_000_000_000n;
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', NANOS],
  ['m', 60n * NANOS],
  ['h', 3600n * NANOS],
]);
const DURATION = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PART = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g;

/** Go's duration text (`1h30m`, `1.5s`); undefined when it is none. Fails beyond int64 nanoseconds. */
export function parseDuration(text: string): CelDuration | undefined {
  if (!DURATION.test(text)) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(PART)) {
    const scale = UNITS.get(unit) ?? 0n;
    nanos += BigInt(whole || '0') * scale;
    if (fraction !== '') nanos += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  return checkedDuration(text.startsWith('-') ? -nanos : nanos);
}

/** Seconds with a fraction: `5400s`, as CEL turns durations into text. */
export function showDuration({ nanos }: CelDuration): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = (magnitude % NANOS).toString().padStart(9, '0').replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${magnitude / NANOS}${fraction === '' ? '' : `.${fraction}`}s`;
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

/** RFC 3339; undefined when it is none. Fails outside the years 1 to 9999. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction = '', zone = 'Z'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second), 0);
  const fits =
    date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) && date.getUTCHours() === Number(hour);
  if (!fits || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offset = zone === 'Z' ? 0 : offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  const value = checkedTimestamp((BigInt(date.getTime()) / 1000n - BigInt(offset * 60)) * NANOS + nanos);
  return offset === 0 ? value : { ...value, offset };
}

/** A full date (`2006-01-02`) at midnight UTC; undefined when it is none. */
export function parseDate(text: string): CelTimestamp | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined;
}

function floorDiv(a: bigint, b: bigint): bigint {
  return a >= 0n ? a / b : -((-a + b - 1n) / b);
}

export function secondsOf({ nanos }: CelTimestamp): bigint {
  return floorDiv(nanos, NANOS);
}

/** RFC 3339 in the zone that it was written in, with as many digits of the second as it has. */
export function showTimestamp(value: CelTimestamp): string {
  const { offset = 0 } = value;
  const seconds = secondsOf(value) + BigInt(offset * 60);
  const fraction = (value.nanos - secondsOf(value) * NANOS).toString().padStart(9, '0').replace(/0+$/, '');
  const base = new Date(Number(seconds) * 1000)
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .padStart(19, '0');
  return `${base}${fraction === '' ? '' : `.${fraction}`}${zoneText(offset)}`;
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function offsetMinutes(zone: string): number | undefined {
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number);
  if (hours > 24 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** The wall-clock date in a zone (`+02:00` or an IANA name), as a Date whose UTC parts are the local ones. */
export function inZone(value: CelTimestamp, zone: string): Date {
  const utc = new Date(Number(floorDiv(value.nanos, 1_000_000n)));
  if (zone === '' || zone === 'UTC') return utc;
  const fixed = /^[+-]?\d\d:\d\d$/.test(zone) ? offsetMinutes(/^[+-]/.test(zone) ? zone : `+${zone}`) : undefined;
  if (fixed !== undefined) return new Date(utc.getTime() + fixed * 60_000);
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(utc);
    const part = (type: string) => Number(parts.find((each) => each.type === type)?.value ?? 0);
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return new Date(local + utc.getUTCMilliseconds());
  } catch {
    return fail(`unknown time zone ${zone}`);
  }
}
