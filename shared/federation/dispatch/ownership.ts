/**
 * Which fields of a copy are ours, read from the `managedFields` that the member itself keeps. A field that somebody else sets to another value
 * leaves our entry: drift is seen without guessing how a server rewrites values.
 */
import { canonicalJson, sha256Hex } from '../../machinery/canonical.ts';
import { cloneJson, deepEqual } from '../../machinery/equality.ts';
import type { JsonObject, JsonValue, KubeObject, ManagedFieldsEntry } from '../../machinery/object.ts';
import { isJsonObject } from '../overrides/pod-spec.ts';

/** Our field manager on members. */
export const FIELD_MANAGER = 'lamiral';

const SHOWN_MAX = 5;

/** What somebody else took: paths for people (`spec.replicas`), and who holds them now. */
export type Taken = { paths: string[]; managers: string[] };

/** Digest of the fields that the copy counts as applied by us; undefined when the copy has no such entry. `retained` paths (dotted) do not count. */
export function ownedDigest(copy: KubeObject, retained: readonly string[]): string | undefined {
  const fields = ourFields(copy);
  if (!fields) return undefined;
  const counted = retained.length === 0 ? fields : cloneJson(fields);
  for (const path of retained) removeField(counted, path.split('.'));
  return sha256Hex(canonicalJson(counted));
}

/** True when server-side apply of ours has written this copy before. */
export function isAppliedByUs(copy: KubeObject): boolean {
  return ourFields(copy) !== undefined;
}

/** Fields of `desired` that the copy does not count as ours, and the managers that hold them; the first few of each. */
export function takenFields(desired: KubeObject, copy: KubeObject): Taken {
  const found: { path: string; keys: string[] }[] = [];
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = desired;
  const { labels, annotations } = metadata;
  walk({ metadata: { labels, annotations }, ...rest } as JsonObject, ourFields(copy) ?? {}, { path: '', keys: [] }, found);
  const shown = found.slice(0, SHOWN_MAX);
  const others = (copy.metadata.managedFields ?? []).filter((entry) => !isOurs(entry));
  const managers = others
    .filter((entry) => shown.some(({ keys }) => holds(entry.fieldsV1, keys)))
    .map((entry) => entry.manager ?? '');
  return { paths: shown.map(({ path }) => path), managers: [...new Set(managers)].sort() };
}

function ourFields(copy: KubeObject): JsonObject | undefined {
  return copy.metadata.managedFields?.find(isOurs)?.fieldsV1;
}

function isOurs({ manager, operation, subresource = '' }: ManagedFieldsEntry): boolean {
  return manager === FIELD_MANAGER && operation === 'Apply' && subresource === '';
}

function removeField(fields: JsonObject, steps: readonly string[]): void {
  const [step = '', ...rest] = steps;
  const key = `f:${step}`;
  const next = fields[key];
  if (rest.length === 0 || !isJsonObject(next)) {
    delete fields[key];
    return;
  }
  removeField(next, rest);
  if (Object.keys(next).length === 0) delete fields[key];
}

type At = { path: string; keys: string[] };

/** Compares a value with the tree of owned fields; a leaf of the tree (no members below) owns everything below. */
function walk(value: JsonObject, owned: JsonObject, at: At, found: At[]): void {
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const here = { path: at.path === '' ? name : `${at.path}.${name}`, keys: [...at.keys, `f:${name}`] };
    const below = owned[`f:${name}`];
    if (!isJsonObject(below)) {
      if (!isEmptyObject(member)) found.push(here);
      continue;
    }
    if (Object.keys(below).length === 0) continue;
    if (isJsonObject(member)) walk(member, below, here, found);
    else if (Array.isArray(member)) walkItems(member, below, here, found);
  }
}

/** Items of a list that is merged by keys (`k:{"name":"a"}`) or as a set (`v:"a"`). */
function walkItems(items: readonly JsonValue[], owned: JsonObject, at: At, found: At[]): void {
  const keys = Object.keys(owned).filter((key) => /^[kv]:/.test(key));
  for (const [index, item] of items.entries()) {
    const key = keys.find((candidate) => isKeyOf(candidate, item));
    const here = { path: `${at.path}[${index}]`, keys: [...at.keys, key ?? ''] };
    const below = key === undefined ? undefined : owned[key];
    if (!isJsonObject(below)) found.push(here);
    else if (isJsonObject(item) && Object.keys(below).length > 0) walk(item, below, here, found);
  }
}

function isKeyOf(key: string, item: JsonValue): boolean {
  const wanted = parsed(key.slice(2));
  if (key.startsWith('v:')) return deepEqual(wanted, item);
  if (!isJsonObject(wanted) || !isJsonObject(item)) return false;
  // A key with a default (a port's protocol) may be absent from what was applied.
  return Object.entries(wanted).every(([name, value]) => item[name] === undefined || deepEqual(item[name], value));
}

function holds(fields: JsonObject | undefined, keys: readonly string[]): boolean {
  let current: JsonValue | undefined = fields;
  for (const key of keys) {
    if (key === '') return true;
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return false;
    current = current[key];
  }
  return true;
}

function isEmptyObject(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
