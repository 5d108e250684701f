/**
 * JSONPath as kubectl and custom resources use it (k8s.io/client-go/util/jsonpath): members, quoted members, indices, slices, wildcards,
 * recursive descent and filters that compare one path with a literal. Parsed once, then read along a value.
 */
import type { JsonObject, JsonValue } from './object.ts';

/** A parsed path. */
export type JsonPath = readonly Step[];

type Step =
  | { type: 'member'; name: string }
  | { type: 'index'; index: number }
  | { type: 'slice'; from: number | undefined; to: number | undefined; step: number }
  | { type: 'all' }
  | { type: 'descend' }
  | { type: 'filter'; path: JsonPath; operator: string; value: JsonValue };

const MEMBER = /^(?:\\.|[^.[\]\\(){}'"*\s])+/;
const QUOTED = /^\['((?:\\.|[^'\\])*)'\]|^\["((?:\\.|[^"\\])*)"\]/;
const INDEX = /^\[(-?\d+)\]/;
const SLICE = /^\[(-?\d*):(-?\d*)(?::(\d+))?\]/;
const FILTER =
  /^\[\?\(\s*@((?:[^=!<>\s)]|\['[^']*'\])*)\s*(?:(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s)]+)\s*)?\)\]/;

/** Reads a path such as `.status.conditions[?(@.type=="Ready")].status`; undefined where it is no path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = text.trim().replace(/^\$/, '');
  while (rest !== '') {
    const length = takeStep(rest, steps);
    if (length === undefined) return undefined;
    rest = rest.slice(length);
  }
  return steps;
}

/** Adds the step that the text begins with; how many characters it takes. The first member of a path needs no dot. */
function takeStep(text: string, steps: Step[]): number | undefined {
  if (text.startsWith('..')) {
    steps.push({ type: 'descend' });
    return text[2] === '[' ? 2 : 1;
  }
  if (text === '.' || text.startsWith('.[')) return 1;
  if (text.startsWith('.')) return taken(1, takeMember(text.slice(1), steps));
  return text.startsWith('[') ? takeBracket(text, steps) : takeMember(text, steps);
}

const taken = (before: number, rest: number | undefined): number | undefined => (rest === undefined ? undefined : before + rest);

function takeMember(text: string, steps: Step[]): number | undefined {
  if (text.startsWith('*')) {
    steps.push({ type: 'all' });
    return 1;
  }
  const name = MEMBER.exec(text)?.[0];
  if (name === undefined) return undefined;
  steps.push({ type: 'member', name: unescaped(name) });
  return name.length;
}

function takeBracket(text: string, steps: Step[]): number | undefined {
  if (text.startsWith('[*]')) {
    steps.push({ type: 'all' });
    return 3;
  }
  const quoted = QUOTED.exec(text);
  if (quoted) {
    steps.push({ type: 'member', name: unescaped(quoted[1] ?? quoted[2] ?? '') });
    return quoted[0].length;
  }
  const index = INDEX.exec(text);
  if (index) {
    steps.push({ type: 'index', index: Number(index[1]) });
    return index[0].length;
  }
  const slice = SLICE.exec(text);
  if (slice) {
    const [, from = '', to = '', step = '1'] = slice;
    steps.push({ type: 'slice', from: numberOf(from), to: numberOf(to), step: Math.max(1, Number(step)) });
    return slice[0].length;
  }
  return takeFilter(text, steps);
}

function takeFilter(text: string, steps: Step[]): number | undefined {
  const match = FILTER.exec(text);
  const path = match && parseJsonPath(match[1] ?? '');
  if (!match || !path) return undefined;
  const [whole, , operator = 'exists', literal = ''] = match;
  steps.push({ type: 'filter', path, operator, value: literalOf(literal) });
  return whole.length;
}

const numberOf = (text: string): number | undefined => (text === '' ? undefined : Number(text));
const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

function literalOf(text: string): JsonValue {
  if (/^["']/.test(text)) return unescaped(text.slice(1, -1));
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

/** Every value that the path leads to, in the order of the value; none where a step is missing. */
export function findJsonPath(path: JsonPath, value: JsonValue): JsonValue[] {
  let values: JsonValue[] = [value];
  for (const step of path) {
    values = values.flatMap((each) => follow(step, each));
    if (values.length === 0) return values;
  }
  return values;
}

function follow(step: Step, value: JsonValue): JsonValue[] {
  switch (step.type) {
    case 'member':
      return isObject(value) && Object.hasOwn(value, step.name) ? present(value[step.name]) : [];
    case 'index':
      return Array.isArray(value) ? present(value.at(step.index)) : [];
    case 'slice':
      return Array.isArray(value) ? value.slice(step.from, step.to).filter((_, index) => index % step.step === 0) : [];
    case 'all':
      return membersOf(value);
    case 'descend':
      return descendants(value);
    case 'filter':
      return membersOf(value).filter((each) => passes(step, each));
  }
}

const present = (value: JsonValue | undefined): JsonValue[] => (value === undefined ? [] : [value]);

function membersOf(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value).filter((each) => each !== undefined) : [];
}

function descendants(value: JsonValue): JsonValue[] {
  return [value, ...membersOf(value).flatMap((each) => (typeof each === 'object' && each !== null ? descendants(each) : []))];
}

function passes({ path, operator, value }: Extract<Step, { type: 'filter' }>, item: JsonValue): boolean {
  const [found] = findJsonPath(path, item);
  if (operator === 'exists') return found !== undefined;
  if (found === undefined || found === null) return operator === '!=' && value !== null;
  if (typeof found !== typeof value) return operator === '!=';
  switch (operator) {
    case '==':
      return found === value;
    case '!=':
      return found !== value;
    case '<':
      return found < (value as typeof found);
    case '<=':
      return found <= (value as typeof found);
    case '>':
      return found > (value as typeof found);
    default:
      return found >= (value as typeof found);
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
