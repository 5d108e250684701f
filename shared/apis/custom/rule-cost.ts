/**
 * How much a rule may cost at worst, before any object is there: loops over what has no bound multiply. A lower bound of upstream's estimate, which
 * also weighs the lengths of texts: what is refused here is refused there.
 */
import type { Node } from '../../machinery/cel/ast.ts';
import { parseCel } from '../../machinery/cel/parser.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { entriesOf, isObject } from './structural.ts';

/** Largest cost of one rule over a whole object (apiextensions' StaticEstimatedCostLimit). */
export const RULE_COST_MAX = 10_000_000;
const REQUEST_BYTES_MAX = 3 * 1024 * 1024;

/** What the schemas above a node say of how often it may occur; undefined: as often as fits into a request. */
export type Cardinality = number | undefined;

/** The cost of a rule at a node, everywhere the node may occur. An expression that cannot be read costs nothing. */
export function ruleCost(rule: string, schema: JsonObject, cardinality: Cardinality): number {
  const parsed = parseCel(rule);
  if (!parsed.ok) return 0;
  const scope: Scope = new Map([
    ['self', schema],
    ['oldSelf', schema],
  ]);
  return costOf(parsed.node, scope) * (cardinality ?? Math.floor(REQUEST_BYTES_MAX / (bytesMin(schema) + 1)));
}

/** Why a rule is refused; undefined where it is within the limit. */
export function costProblem(cost: number): string | undefined {
  if (cost <= RULE_COST_MAX) return undefined;
  const factor = cost / RULE_COST_MAX;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  const hint =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `estimated rule cost exceeds budget by factor of ${shown} (${hint})`;
}

/** Names, and the schemas of what they stand for where these are known. */
type Scope = ReadonlyMap<string, JsonObject | undefined>;

const FREE_CALLS = new Set(['_&&_', '_||_']);

function costOf(node: Node, scope: Scope): number {
  switch (node.op) {
    case 'ident':
      return 1;
    case 'select':
      return costOf(node.operand, scope) + (node.test ? 0 : 1);
    case 'call':
      return callCost(node, scope);
    case 'list':
      return sum(node.items.map((item) => costOf(item.node, scope)));
    case 'map':
      return sum(node.entries.map(({ key, value }) => costOf(key, scope) + costOf(value, scope)));
    case 'fold':
      return foldCost(node, scope);
    case 'bind':
      return costOf(node.target, scope) + costOf(node.body, new Map([...scope, [node.name, undefined]]));
    default:
      return 0;
  }
}

function callCost({ name, target, args }: Extract<Node, { op: 'call' }>, scope: Scope): number {
  const costs = args.map((arg) => costOf(arg, scope));
  if (name === '_?_:_') return (costs[0] ?? 0) + Math.max(costs[1] ?? 0, costs[2] ?? 0);
  return sum(costs) + (target ? costOf(target, scope) : 0) + (FREE_CALLS.has(name) ? 0 : 1);
}

function foldCost({ range, names, where, step }: Extract<Node, { op: 'fold' }>, scope: Scope): number {
  const schema = schemaOf(range, scope);
  const size = range.op === 'list' ? range.items.length : schema ? elementsMax(schema) : 0;
  const inner = new Map(scope);
  const [first = '', second] = names;
  const isList = schema?.type === 'array';
  const values = schema && (isList ? schema.items : schema.additionalProperties);
  const element = isObject(values) ? values : undefined;
  if (second !== undefined) inner.set(first, undefined).set(second, element);
  else inner.set(first, isList ? element : undefined);
  const each = costOf(step, inner) + (where ? costOf(where, inner) : 0);
  return costOf(range, scope) + size * each;
}

function schemaOf(node: Node, scope: Scope): JsonObject | undefined {
  if (node.op === 'ident') return scope.get(node.name);
  if (node.op === 'select' && !node.test) {
    const of = schemaOf(node.operand, scope);
    const member = isObject(of?.properties) && Object.hasOwn(of.properties, node.field) ? of.properties[node.field] : undefined;
    return firstSchema(member, of?.additionalProperties);
  }
  const [of] = node.op === 'call' && node.name === '_[_]' ? node.args : [];
  const indexed = of && schemaOf(of, scope);
  return firstSchema(indexed?.items, indexed?.additionalProperties);
}

function firstSchema(...values: (JsonValue | undefined)[]): JsonObject | undefined {
  return values.find(isObject);
}

/** The most elements that a list or map of the schema can have. */
export function elementsMax({ type, items, additionalProperties, maxItems, maxProperties }: JsonObject): number {
  if (type === 'array') {
    if (typeof maxItems === 'number') return maxItems;
    return Math.floor((REQUEST_BYTES_MAX - 2) / (bytesMin(isObject(items) ? items : {}) + 1));
  }
  if (!isObject(additionalProperties)) return 0;
  return typeof maxProperties === 'number'
    ? maxProperties
    : Math.floor((REQUEST_BYTES_MAX - 2) / (bytesMin(additionalProperties) + 6));
}

/** The fewest bytes that a value of the schema takes as JSON. */
function bytesMin(schema: JsonObject): number {
  const { type, format } = schema;
  if (type === 'boolean') return 4;
  if (type === 'string') return format === 'date' ? 12 : format === 'date-time' ? 22 : format === 'duration' ? 4 : 2;
  if (type !== 'object') return type === 'array' ? 2 : 1;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const needed = entriesOf(schema.properties).filter(([name, each]) => required.includes(name) && each.default === undefined);
  return 2 + sum(needed.map(([name, each]) => name.length + bytesMin(each) + 4));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
