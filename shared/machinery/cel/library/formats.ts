/** Named formats (k8s.io/apiserver/pkg/cel/library/format.go): `format.dns1123Label().validate(text)` answers what is wrong, or nothing. */
import { generateNameErrors, labelKeyErrors, labelValueErrors, nameErrors } from '../../names.ts';
import { global, member, type Overload } from '../functions.ts';
import { sizeOf } from '../operators.ts';
import { parseDate, parseTimestamp } from '../time.ts';
import { type CelOpaque, type CelValue, NONE, opaque, some } from '../values.ts';
import { parseRequestUri } from './url.ts';

type Format = { name: string; size: number; validate(text: string): readonly string[] };

const TYPE = 'kubernetes.NamedFormat';

const unless = (holds: (text: string) => boolean, complaint: string) => (text: string) => (holds(text) ? [] : [complaint]);

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const UUID = /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i;

function uriErrors(text: string): string[] {
  const parsed = parseRequestUri(text);
  return parsed.ok ? [] : [parsed.problem];
}

const FORMATS: ReadonlyMap<string, Format> = new Map(
  (
    [
      ['dns1123Label', 30, (text) => nameErrors('label', text)],
      ['dns1123Subdomain', 60, (text) => nameErrors('subdomain', text)],
      ['dns1035Label', 30, (text) => nameErrors('label1035', text)],
      ['qualifiedName', 60, labelKeyErrors],
      ['dns1123LabelPrefix', 30, (text) => generateNameErrors('label', text)],
      ['dns1123SubdomainPrefix', 60, (text) => generateNameErrors('subdomain', text)],
      ['dns1035LabelPrefix', 30, (text) => generateNameErrors('label1035', text)],
      ['labelValue', 40, labelValueErrors],
      ['uri', 1103, uriErrors],
      ['uuid', 71, unless((text) => UUID.test(text), 'does not match the UUID format')],
      ['byte', 84, unless((text) => BASE64.test(text), 'invalid base64')],
      ['date', 100, unless((text) => parseDate(text) !== undefined, 'invalid date')],
      ['datetime', 100, unless((text) => parseTimestamp(text) !== undefined, 'invalid datetime')],
    ] satisfies [string, number, Format['validate']][]
  ).map(([name, size, validate]) => [name, { name, size, validate }]),
);

function validate(value: CelValue, text: CelValue): CelValue {
  const errors = ((value as CelOpaque).data as Format).validate(text as string);
  return errors.length === 0 ? NONE : some([...errors]);
}

function cost(value: CelValue = null, text: CelValue = null): number {
  const { size } = (value as CelOpaque).data as Format;
  return Math.ceil((1 + sizeOf(text)) / 10) * Math.ceil(size / 4);
}

export const NAMED_FORMATS: readonly Overload[] = [
  global('format.named', 'string', `optional(${TYPE})`, (name) => {
    const format = FORMATS.get(name as string);
    return format ? some(opaque(TYPE, format)) : NONE;
  }),
  ...[...FORMATS.values()].map((format) => global(`format.${format.name}`, '', TYPE, () => opaque(TYPE, format))),
  member('validate', `${TYPE}, string`, 'optional(list(string))', validate, cost),
];
