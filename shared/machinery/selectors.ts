/**
 * Label and field selectors: what `-l` and `--field-selector` carry, and the selector objects inside kinds
 * (k8s.io/apimachinery/pkg/labels and pkg/fields). The text of label selectors is read by `selector-text.ts`.
 */
import { REQUIREMENTS_MAX } from './limits.ts';
import { compareText, newRequirement, type Operator, type Requirement, sortedSet } from './requirement.ts';

export type { Operator, Requirement } from './requirement.ts';
export { parseLabelSelector } from './selector-text.ts';

/** `metav1.LabelSelector` as it stands in an object. */
export type LabelSelector = {
  matchLabels?: Record<string, string> | undefined;
  matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] | undefined }[] | undefined;
};

/** One term of a field selector. */
export type FieldRequirement = { field: string; operator: '=' | '!='; value: string };

const EXPRESSION_OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** The requirements of a selector object. `{}` has none and matches everything. Throws SyntaxError for an unknown operator or bad value. */
export function labelSelectorRequirements(selector: LabelSelector): Requirement[] {
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) requirements.push(newRequirement(key, '=', [value]));
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = EXPRESSION_OPERATORS.get(operator);
    if (!known) throw new SyntaxError(`${JSON.stringify(operator)} is not a valid label selector operator`);
    requirements.push(newRequirement(key, known, sortedSet(values ?? [])));
  }
  return requirements;
}

/** Do the labels satisfy every requirement? `!=` and `notin` match when the key is absent. */
export function matchesLabels(
  requirements: readonly Requirement[],
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return requirements.every((requirement) => {
    const value = labels && Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
    return matchesValue(requirement, value);
  });
}

/** Text of a selector object as `kubectl` shows it: `a=b,c in (d,e)`; `<none>` when empty or absent, `<error>` when it cannot be read. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  if (!selector) return '<none>';
  try {
    return formatRequirements(labelSelectorRequirements(selector)) || '<none>';
  } catch (error) {
    if (error instanceof SyntaxError) return '<error>';
    throw error;
  }
}

/** The text that parses to these requirements, sorted by key: `status.selector` of scales. */
export function formatRequirements(requirements: readonly Requirement[]): string {
  return requirements
    .toSorted((a, b) => compareText(a.key, b.key))
    .map(formatRequirement)
    .join(',');
}

/** Terms of a field selector (`metadata.name=a,status.phase!=Failed`). Which fields a kind knows is the caller's to check. Throws SyntaxError. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === '') continue;
    if (requirements.length >= REQUIREMENTS_MAX)
      throw new SyntaxError(`invalid selector: more than ${REQUIREMENTS_MAX} requirements`);
    const match = /^((?:[^!=]|!(?!=))*)(!=|==|=)(.*)$/s.exec(term);
    if (!match) throw new SyntaxError(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator, value = ''] = match;
    requirements.push({ field, operator: operator === '!=' ? '!=' : '=', value: unescapeField(value) });
  }
  return requirements;
}

/** Do the fields satisfy every requirement? A field that is absent counts as empty. */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  fields: Readonly<Record<string, string>> | ReadonlyMap<string, string>,
): boolean {
  const read =
    fields instanceof Map
      ? (name: string) => fields.get(name)
      : (name: string) => ownMember(fields as Record<string, string>, name);
  return requirements.every(({ field, operator, value }) => ((read(field) ?? '') === value) === (operator === '='));
}

function matchesValue({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    default:
      return comparesAs(operator, value, values[0] ?? '');
  }
}

function comparesAs(operator: 'gt' | 'lt', value: string | undefined, bound: string): boolean {
  if (value === undefined || !/^[+-]?\d{1,19}$/.test(value)) return false;
  const [left, right] = [BigInt(value.replace('+', '')), BigInt(bound.replace('+', ''))];
  return operator === 'gt' ? left > right : left < right;
}

function formatRequirement({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${sortedSet(values).join(',')})`;
    case 'gt':
      return `${key}>${values[0] ?? ''}`;
    case 'lt':
      return `${key}<${values[0] ?? ''}`;
    default:
      return `${key}${operator}${values[0] ?? ''}`;
  }
}

/** Splits at commas that no backslash protects. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === ',') {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeField(value: string): string {
  let result = '';
  for (let index = 0; index < value.length; index += 1) {
    const character = value[index] ?? '';
    if (character === '\\') {
      const next = value[index + 1] ?? '';
      if (next === '' || !'\\,='.includes(next))
        throw new SyntaxError(`invalid field selector: invalid escape sequence: \\${next}`);
      result += next;
      index += 1;
    } else if (character === '=' || character === ',') {
      throw new SyntaxError(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    } else result += character;
  }
  return result;
}

const ownMember = (fields: Record<string, string>, name: string): string | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;
