/** The grammar of cron schedules, with the complaints of the parser that upstream uses (github.com/robfig/cron). */

type Bounds = { min: number; max: number; names?: readonly string[] };

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);

/** The first complaint about a schedule; undefined when it can be read. */
export function cronComplaint(schedule: string): string | undefined {
  const text = schedule.replace(/^(CRON_)?TZ=\S*\s+/, '').trim();
  if (text === '') return 'empty spec string';
  if (text.startsWith('@')) return descriptorComplaint(text);
  const fields = text.split(/\s+/);
  if (fields.length !== FIELDS.length) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, bounds] of FIELDS.entries()) {
    for (const range of (fields[index] ?? '').split(',').filter((part) => part !== '')) {
      const complaint = rangeComplaint(range, bounds);
      if (complaint) return complaint;
    }
  }
  return undefined;
}

function descriptorComplaint(text: string): string | undefined {
  if (DESCRIPTORS.has(text) || /^@every ([\d.]+(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  return text.startsWith('@every ')
    ? `failed to parse duration ${text}: time: invalid duration "${text.slice(7)}"`
    : `unrecognized descriptor: ${text}`;
}

function rangeComplaint(range: string, { min, max, names = [] }: Bounds): string | undefined {
  const [body = '', step, ...moreSteps] = range.split('/');
  const [low = '', high, ...moreEnds] = body.split('-');
  const isAny = low === '*' || low === '?';
  const start = isAny ? min : numberOf(low, names, min);
  const written = high === undefined ? start : numberOf(high, names, min);
  if (typeof start === 'string') return start;
  if (!isAny && moreEnds.length > 0) return `too many hyphens: ${range}`;
  if (typeof written === 'string') return written;
  const every = step === undefined ? 1 : numberOf(step, [], 0);
  if (typeof every === 'string') return every;
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const end = isAny || (step !== undefined && high === undefined) ? max : written;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${range}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return every === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

/** The number, or a complaint. Names count from the field's minimum. */
function numberOf(text: string, names: readonly string[], min: number): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + min;
  if (/^-\d+$/.test(text)) return `negative number (${text}) not allowed: ${text}`;
  return /^\+?\d+$/.test(text)
    ? Number(text)
    : `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
