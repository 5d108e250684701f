/** allOf, anyOf, oneOf and not of a schema. Where no alternative fits, the complaints of the nearest one are told. */
import type { JsonObject, JsonValue } from '../object.ts';
import { add, type Findings, type Node } from './validator.ts';

/** A node for the logic of a schema; undefined where it has none. `compile` makes the node of an inner schema. */
export function compileLogic(schema: JsonObject, compile: (inner: JsonObject) => Node): Node | undefined {
  const all = alternatives(schema.allOf).map(compile);
  const any = alternatives(schema.anyOf).map(compile);
  const one = alternatives(schema.oneOf).map(compile);
  const not = isObject(schema.not) ? compile(schema.not) : undefined;
  if (all.length + any.length + one.length === 0 && not === undefined) return undefined;
  return (value, path, old, found) => {
    const tryOne = (node: Node): Findings => {
      const result: Findings = { errors: [], matches: 0 };
      node(value, path, old, result);
      return result;
    };
    if (any.length > 0) checkAny(any, tryOne, path, found);
    if (one.length > 0) checkOne(one, tryOne, path, found);
    if (all.length > 0) checkAll(all, tryOne, path, found);
    if (not && tryOne(not).errors.length === 0) complain(found, `${quote(path)} must not validate the schema (not)`);
  };
}

type Try = (node: Node) => Findings;

function checkAny(nodes: readonly Node[], tryOne: Try, path: string, found: Findings): void {
  let nearest: Findings | undefined;
  for (const node of nodes) {
    const result = tryOne(node);
    if (result.errors.length === 0) {
      merge(found, result);
      return;
    }
    if (nearest === undefined || result.matches > nearest.matches) nearest = result;
  }
  complain(found, `${quote(path)} must validate at least one schema (anyOf)`);
  merge(found, nearest);
}

function checkOne(nodes: readonly Node[], tryOne: Try, path: string, found: Findings): void {
  const results = nodes.map(tryOne);
  const fitting = results.filter(({ errors }) => errors.length === 0);
  if (fitting.length === 1) {
    merge(found, fitting[0]);
    return;
  }
  const what = fitting.length === 0 ? 'Found none valid' : `Found ${fitting.length} valid alternatives`;
  complain(found, `${quote(path)} must validate one and only one schema (oneOf). ${what}`);
  if (fitting.length > 0) return;
  merge(
    found,
    results.reduce((best, each) => (each.matches > best.matches ? each : best)),
  );
}

function checkAll(nodes: readonly Node[], tryOne: Try, path: string, found: Findings): void {
  let fitting = 0;
  for (const node of nodes) {
    const result = tryOne(node);
    if (result.errors.length === 0) fitting += 1;
    merge(found, result);
  }
  if (fitting === nodes.length) return;
  complain(found, `${quote(path)} must validate all the schemas (allOf)${fitting === 0 ? '. None validated' : ''}`);
}

function merge(found: Findings, result: Findings | undefined): void {
  if (result === undefined) return;
  for (const error of result.errors) add(found, error);
  found.matches += result.matches;
}

/** Upstream has no field for these, and prints its absence. */
function complain(found: Findings, text: string): void {
  add(found, { type: 'Invalid', field: '<nil>', detail: `Invalid value: "": ${text}` });
}

const quote = (path: string): string => JSON.stringify(path);

function alternatives(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
