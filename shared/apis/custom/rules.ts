/**
 * Runs `x-kubernetes-validations` over an object (apiextensions' cel/validation.go): each rule on the values of its node, rules about changes where
 * old and new correspond, all of them within one budget. A rule that fails on what did not change is not told.
 */

import { canonicalJson } from '../../machinery/canonical.ts';
import { CALL_COST_MAX, type CelBudget, type CelOutcome, celBudget, REQUEST_COST_MAX } from '../../machinery/cel/cel.ts';
import { fromJson } from '../../machinery/cel/json.ts';
import { NONE, some } from '../../machinery/cel/values.ts';
import { deepEqual } from '../../machinery/equality.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import type { Schema } from '../../machinery/schema/schema.ts';
import type { FieldError } from '../definition.ts';
import { forbidden, invalid, required } from '../validation/fields.ts';
import { type CompiledRule, compileNodeRules, selfSchema } from './rule-compile.ts';

/** Checks an object; `old` is undefined when it is created. */
export type RuleCheck = (object: JsonObject, old: JsonObject | undefined) => FieldError[];

type RuleNode = {
  rules: readonly CompiledRule[];
  self: Schema | undefined;
  type: string;
  /** Identity of the items of a list that is a map. */
  keys: readonly string[] | undefined;
  properties: ReadonlyMap<string, RuleNode>;
  additional: RuleNode | undefined;
  items: RuleNode | undefined;
  allOf: readonly RuleNode[];
};

/** Compiles the rules of a schema; undefined where there are none. */
export function compileRules(source: JsonObject): RuleCheck | undefined {
  const root = compileNode(source, source, true);
  if (root === undefined) return undefined;
  return (object, old) => {
    const run: Run = { errors: [], budget: celBudget(REQUEST_COST_MAX), isOver: false };
    const isSame = once(() => old !== undefined && deepEqual(old, object));
    visit(run, root, { value: object, old, path: '', isSame, isRoot: true });
    return run.errors;
  };
}

/** `shape` says what there is, `schema` what is asked of it: they differ within allOf. */
function compileNode(schema: JsonObject, shape: JsonObject, isRoot: boolean): RuleNode | undefined {
  const child = (inner: JsonValue | undefined, of: JsonValue | undefined) =>
    isObject(inner) && isObject(of) ? compileNode(inner, of, of['x-kubernetes-embedded-resource'] === true) : undefined;
  const asked = { ...shape, 'x-kubernetes-validations': schema['x-kubernetes-validations'] };
  const rules = compileNodeRules(asked, isRoot);
  const properties = new Map<string, RuleNode>();
  for (const [name, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const node = child(inner, isObject(shape.properties) ? shape.properties[name] : undefined);
    if (node) properties.set(name, node);
  }
  const additional = child(schema.additionalProperties, shape.additionalProperties);
  const items = child(schema.items, shape.items);
  const all = Array.isArray(schema.allOf) ? schema.allOf.filter(isObject) : [];
  const allOf = all.map((inner) => compileNode(inner, shape, isRoot)).filter((node) => node !== undefined);
  if (rules.length + properties.size + allOf.length === 0 && !additional && !items) return undefined;
  const keys = shape['x-kubernetes-list-type'] === 'map' ? shape['x-kubernetes-list-map-keys'] : undefined;
  return {
    rules,
    self: rules.length > 0 ? selfSchema(shape, isRoot) : undefined,
    type: typeof shape.type === 'string' ? shape.type : '',
    keys: Array.isArray(keys) ? keys.map(String) : undefined,
    properties,
    additional,
    items,
    allOf,
  };
}

type Run = { errors: FieldError[]; budget: CelBudget; isOver: boolean };
/** A value, what stood in its place (undefined: nothing comparable), and whether the nearest comparable part is as it was. */
type Place = { value: JsonValue; old: JsonValue | undefined; path: string; isSame: () => boolean; isRoot: boolean };

function visit(run: Run, node: RuleNode, place: Place): void {
  if (run.isOver || place.value === null) return;
  runRules(run, node, place);
  for (const inner of node.allOf) visit(run, inner, place);
  const { value } = place;
  if (Array.isArray(value)) visitItems(run, node, place, value);
  else if (isObject(value)) visitMembers(run, node, place, value);
}

function visitItems(run: Run, { items, keys }: RuleNode, place: Place, value: readonly JsonValue[]): void {
  if (!items) return;
  const identity = (item: JsonValue) =>
    isObject(item) ? canonicalJson((keys ?? []).map((key) => ownMember(item, key) ?? null)) : '';
  const before = new Map(keys && Array.isArray(place.old) ? place.old.map((item) => [identity(item), item] as const) : []);
  for (const [index, item] of value.entries()) {
    const old = keys ? before.get(identity(item)) : undefined;
    visit(run, items, childPlace(place, item, old, `${place.path}[${index}]`));
  }
}

function visitMembers(run: Run, { properties, additional }: RuleNode, place: Place, value: JsonObject): void {
  const before = isObject(place.old) ? place.old : undefined;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const named = properties.get(name);
    const inner = named ?? additional;
    if (inner === undefined || member === undefined) continue;
    const path = named ? (place.path === '' ? name : `${place.path}.${name}`) : `${place.path}[${name}]`;
    visit(run, inner, childPlace(place, member, before && ownMember(before, name), path));
  }
}

function childPlace(parent: Place, value: JsonValue, old: JsonValue | undefined, path: string): Place {
  const isSame = old === undefined ? parent.isSame : once(() => deepEqual(old, value));
  return { value, old: old ?? undefined, path, isSame, isRoot: false };
}

function runRules(run: Run, node: RuleNode, place: Place): void {
  const field = place.path === '' ? '<nil>' : place.path;
  for (const rule of node.rules) {
    if (run.budget.remaining <= 0) {
      stop(run, invalid(field, node.type, OUT_OF_BUDGET));
      return;
    }
    if (rule.error !== undefined) run.errors.push(invalid(field, node.type, `rule compile error: ${rule.error}`));
    const { program, usesOldSelf, source } = rule;
    if (program === undefined || (usesOldSelf && place.old === undefined && !source.optionalOldSelf)) continue;
    const remaining = run.budget.remaining;
    const outcome = program.evaluate(bindings(node, rule, place), run.budget);
    if (!outcome.ok) refuse(run, node, rule, field, outcome, remaining);
    else if (outcome.value !== true && !(place.isSame() && !usesOldSelf)) run.errors.push(failure(run, node, rule, place));
    if (run.isOver) return;
  }
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

function stop(run: Run, error: FieldError): void {
  run.errors.push(error);
  run.isOver = true;
}

function bindings({ self }: RuleNode, { source }: CompiledRule, { value, old }: Place): Record<string, unknown> {
  if (!source.optionalOldSelf) return { self: value, oldSelf: old };
  return { self: value, oldSelf: old === undefined ? NONE : some(fromJson(old, self)) };
}

function refuse(
  run: Run,
  { type }: RuleNode,
  { source }: CompiledRule,
  field: string,
  { error, exceeded }: Extract<CelOutcome, { ok: false }>,
  remaining: number,
): void {
  const rule = ruleText(source);
  if (exceeded) {
    const isCall = remaining >= CALL_COST_MAX;
    const ended = `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
    stop(run, invalid(field, type, isCall ? ended : OUT_OF_BUDGET));
    return;
  }
  const why = error.startsWith('no such overload')
    ? `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${error} evaluating rule: ${rule}`;
  run.errors.push(invalid(field, type, why));
}

/** The error of a rule that does not hold: of its reason, at its field, in its own words where it has some. */
function failure(run: Run, node: RuleNode, rule: CompiledRule, place: Place): FieldError {
  const { source, fieldPath } = rule;
  const path = [place.path, fieldPath]
    .filter((part) => part !== '')
    .join('.')
    .replace('.[', '[');
  const field = path === '' ? '<nil>' : path;
  const why = ownMessage(run, node, rule, place) ?? source.message?.trim() ?? `failed rule: ${ruleText(source)}`;
  const isOmitted = node.type === 'object' || node.type === 'array';
  switch (source.reason) {
    case 'FieldValueForbidden':
      return forbidden(field, why);
    case 'FieldValueRequired':
      return required(field, why);
    case 'FieldValueDuplicate':
      return {
        type: 'Duplicate',
        field,
        detail: isOmitted ? 'Duplicate value' : `Duplicate value: ${canonicalJson(place.value)}`,
      };
    default:
      return isOmitted ? { type: 'Invalid', field, detail: `Invalid value: ${why}` } : invalid(field, place.value, why);
  }
}

const MESSAGE_LENGTH_MAX = 5 * 1024;

/** What the message expression makes; undefined where it makes nothing that can be shown. */
function ownMessage(run: Run, node: RuleNode, rule: CompiledRule, place: Place): string | undefined {
  const outcome = rule.message?.evaluate(bindings(node, rule, place), run.budget);
  if (!outcome?.ok || typeof outcome.value !== 'string') return undefined;
  const text = outcome.value.trim();
  return text === '' || text.includes('\n') || Buffer.byteLength(text) > MESSAGE_LENGTH_MAX ? undefined : text;
}

function ruleText({ rule, message }: CompiledRule['source']): string {
  return (message || rule).trim();
}

function ownMember(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function once(ask: () => boolean): () => boolean {
  let answer: boolean | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
