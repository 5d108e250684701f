/**
 * Sets of fields, as `managedFields` keeps them: a tree that mirrors `fieldsV1`. All sets are values: operations return new sets and may
 * share subtrees, so nobody changes a set that was handed on (`insertPath` is for a set still being built).
 * Semantics are those of structured-merge-diff's `fieldpath.Set`.
 */

/** One field. `owned`: the field itself is in the set; `fields`: its children that are, or lead to, members. Never neither. */
export type FieldNode = { readonly owned: boolean; readonly fields: FieldSet | undefined };

/** Children by element key (`f:name`, `k:{"name":"a"}`, `v:"x"`, `i:0`; see element.ts), in no particular order. */
export type FieldSet = ReadonlyMap<string, FieldNode>;

/** A set that is being built. */
export type FieldSetBuilder = Map<string, FieldNode>;

/** A field without children. */
export const LEAF: FieldNode = { owned: true, fields: undefined };

const EMPTY: FieldSet = new Map();

/** The set without members. */
export function emptySet(): FieldSet {
  return EMPTY;
}

/** A set of the given paths, each a list of element keys. */
export function setOf(paths: readonly (readonly string[])[]): FieldSet {
  const set: FieldSetBuilder = new Map();
  for (const path of paths) insertPath(set, path);
  return set;
}

/** Adds one path to a set under construction. The empty path (the whole object) is not tracked. */
export function insertPath(set: FieldSetBuilder, path: readonly string[]): void {
  let level = set;
  const last = path.length - 1;
  for (let index = 0; index < last; index += 1) level = descend(level, path[index] ?? '');
  const key = path[last];
  if (key === undefined) return;
  const node = level.get(key);
  if (node === undefined) level.set(key, LEAF);
  else if (!node.owned) level.set(key, { owned: true, fields: node.fields });
}

function descend(level: FieldSetBuilder, key: string): FieldSetBuilder {
  const node = level.get(key);
  if (node?.fields !== undefined) return node.fields as FieldSetBuilder;
  const fields: FieldSetBuilder = new Map();
  level.set(key, { owned: node?.owned ?? false, fields });
  return fields;
}

/** Members of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || a === b) return b;
  if (b.size === 0) return a;
  const result: FieldSetBuilder = new Map(a);
  for (const [key, node] of b) {
    const other = result.get(key);
    result.set(key, other === undefined ? node : unionNodes(other, node));
  }
  return result;
}

function unionNodes(a: FieldNode, b: FieldNode): FieldNode {
  if (a === b) return a;
  return { owned: a.owned || b.owned, fields: a.fields && b.fields ? union(a.fields, b.fields) : (a.fields ?? b.fields) };
}

/** Members of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (a.size === 0 || b.size === 0) return EMPTY;
  const result: FieldSetBuilder = new Map();
  for (const [key, node] of a) {
    const other = b.get(key);
    if (other === undefined) continue;
    const fields = node.fields && other.fields ? intersection(node.fields, other.fields) : EMPTY;
    keep(result, key, node.owned && other.owned, fields);
  }
  return result;
}

/** Members of `a` that are not members of `b`. A child survives the removal of its parent. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return EMPTY;
  if (a.size === 0 || b.size === 0) return a;
  const result: FieldSetBuilder = new Map();
  for (const [key, node] of a) {
    const other = b.get(key);
    if (other === undefined) {
      result.set(key, node);
      continue;
    }
    const fields = node.fields === undefined ? EMPTY : difference(node.fields, other.fields ?? EMPTY);
    keep(result, key, node.owned && !other.owned, fields);
  }
  return result;
}

/** Members of `a` that are neither members of `b` nor below one. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0 || b.size === 0) return a;
  const result: FieldSetBuilder = new Map();
  for (const [key, node] of a) {
    const other = b.get(key);
    if (other === undefined) result.set(key, node);
    else if (!other.owned) keep(result, key, node.owned, recursiveDifference(node.fields ?? EMPTY, other.fields ?? EMPTY));
  }
  return result;
}

function keep(into: FieldSetBuilder, key: string, owned: boolean, fields: FieldSet): void {
  if (fields.size > 0) into.set(key, { owned, fields });
  else if (owned) into.set(key, LEAF);
}

/** Is every member of `a` a member of `b`? */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  for (const [key, node] of a) {
    const other = b.get(key);
    if (other === undefined || (node.owned && !other.owned)) return false;
    if (node.fields !== undefined && (other.fields === undefined || !isSubset(node.fields, other.fields))) return false;
  }
  return true;
}

/** Same members? */
export function sameSets(a: FieldSet, b: FieldSet): boolean {
  return isSubset(a, b) && isSubset(b, a);
}

/** Is the path a member? */
export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let level: FieldSet | undefined = set;
  let node: FieldNode | undefined;
  for (const key of path) {
    node = level?.get(key);
    if (node === undefined) return false;
    level = node.fields;
  }
  return node?.owned ?? false;
}

/** Patterns for `keepMatching`: paths of element keys, `*` standing for any one element. A match takes everything below it. */
export type PathPattern = readonly string[];

/** The members at or below a path that matches one of the patterns. */
export function keepMatching(set: FieldSet, patterns: readonly PathPattern[]): FieldSet {
  const result: FieldSetBuilder = new Map();
  for (const [key, node] of set) {
    const matching = patterns.filter((pattern) => pattern[0] === '*' || pattern[0] === key).map((pattern) => pattern.slice(1));
    if (matching.some((pattern) => pattern.length === 0)) result.set(key, node);
    else if (matching.length > 0) keep(result, key, node.owned, keepMatching(node.fields ?? EMPTY, matching));
  }
  return result;
}
