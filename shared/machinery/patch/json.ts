/**
 * JSON Patch (RFC 6902) as kube-apiserver applies it (gopkg.in/evanphx/json-patch.v4): negative indexes count from the end, `replace` of
 * a missing member sets it, an absent `value` is null. Texts are the library's.
 */
import { stringifyJson } from '../codec/json.ts';
import { cloneJson, deepEqual, setOwn } from '../equality.ts';
import { NESTING_MAX } from '../limits.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import { PatchError } from './error.ts';
import { type Container, locate, type Place, parseIndex, readAt, removeAt, setAt } from './json-place.ts';
import { JSON_PATCH_COPY_BYTES_MAX, JSON_PATCH_OPERATIONS_MAX } from './limits.ts';

export { PatchError } from './error.ts';

/** One operation. `path` and `from` are JSON pointers; both are checked when the operation is applied. */
export type JsonPatchOperation = { op: string; path?: string; from?: string; value: JsonValue };

/** `lenient`: an empty operator means `replace` (overrides of policies have it so). */
export type JsonPatchOptions = { lenient: boolean };

/** Reads a patch. Throws PatchError `malformed` when it is no list of operations, `tooLarge` beyond 10,000 of them. */
export function parseJsonPatch(value: JsonValue): JsonPatchOperation[] {
  if (!Array.isArray(value)) throw malformed(value, '[]handlers.jsonPatchOp');
  if (value.length > JSON_PATCH_OPERATIONS_MAX) {
    const limit = `The allowed maximum operations in a JSON patch is ${JSON_PATCH_OPERATIONS_MAX}, got ${value.length}`;
    throw new PatchError('tooLarge', limit);
  }
  return value.map(parseOperation);
}

function parseOperation(operation: JsonValue): JsonPatchOperation {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation))
    throw malformed(operation, 'handlers.jsonPatchOp');
  const [op, path, from] = ['op', 'path', 'from'].map((name) => textMember(operation, name));
  return {
    op: op ?? 'unknown',
    ...(path === undefined ? {} : { path }),
    ...(from === undefined ? {} : { from }),
    value: (Object.hasOwn(operation, 'value') ? operation.value : undefined) ?? null,
  };
}

function textMember(operation: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(operation, name) ? operation[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw malformed(value, `string`, `Go struct field jsonPatchOp.${name}`);
  return value;
}

function malformed(value: JsonValue, type: string, place = 'Go value'): PatchError {
  return new PatchError(
    'malformed',
    `error decoding patch: json: cannot unmarshal ${jsonType(value)} into ${place} of type ${type}`,
  );
}

function jsonType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** Applies the operations in order, to a copy. Throws PatchError `failed` at the first that does not apply, `tooLarge` when copies add up. */
export function applyJsonPatch(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
  options: JsonPatchOptions = { lenient: false },
): JsonValue {
  const state: State = { root: cloneJson(document), copiedBytes: 0 };
  for (const operation of operations) applyOperation(state, operation, options);
  refuseDeep(state.root);
  return state.root;
}

type State = { root: JsonValue; copiedBytes: number };

function applyOperation(state: State, operation: JsonPatchOperation, { lenient }: JsonPatchOptions): void {
  const op = operation.op === '' && lenient ? 'replace' : operation.op;
  if (op === 'add') add(state, pathOf(operation, op), cloneJson(operation.value), op);
  else if (op === 'remove') remove(state, pathOf(operation, op));
  else if (op === 'replace') replace(state, pathOf(operation, op), cloneJson(operation.value));
  else if (op === 'move') move(state, operation);
  else if (op === 'test') test(state, pathOf(operation, op), operation.value);
  else if (op === 'copy') copy(state, operation);
  else throw failed(`Unexpected kind: ${operation.op}`);
}

type OperationName = 'add' | 'remove' | 'replace' | 'move' | 'test' | 'copy';

/** The library names the missing field for some operations only. */
const SHORT_FAULTS: ReadonlySet<OperationName> = new Set(['add', 'remove', 'copy']);

function pathOf({ path }: JsonPatchOperation, name: OperationName): string {
  if (path !== undefined) return path;
  throw failed(
    `${name} operation failed to decode path: ${SHORT_FAULTS.has(name) ? '' : 'operation missing path field: '}missing value`,
  );
}

function fromOf({ from }: JsonPatchOperation, name: OperationName): string {
  if (from === undefined) throw failed(`${name} operation failed to decode from: operation, missing from field: missing value`);
  return from;
}

function add(state: State, path: string, value: JsonValue, name: 'add' | 'move' | 'copy'): void {
  const place = locate(state.root, path);
  const missing = name === 'add' ? `doc is missing path: "${path}"` : `doc is missing destination path: ${path}`;
  if (place === undefined) throw failed(`${name} operation does not apply: ${missing}: missing value`);
  const fault = insertAt(place, value);
  const prefix = name === 'copy' ? 'error while adding value during copy' : `error in ${name} for path: '${path}'`;
  if (fault !== undefined) throw failed(`${prefix}: ${fault}`);
}

function insertAt({ container, key }: Place, value: JsonValue): string | undefined {
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return undefined;
  }
  if (key === '-') {
    container.push(value);
    return undefined;
  }
  const index = parseIndex(key);
  if (index === undefined)
    return `value was not a proper array index: '${key}': strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
  const length = container.length + 1;
  if (index >= length || index < -length) return `Unable to access invalid index: ${index}: invalid index referenced`;
  container.splice(index < 0 ? index + length : index, 0, value);
  return undefined;
}

function remove(state: State, path: string): void {
  const place = locate(state.root, path);
  if (place === undefined) throw failed(`remove operation does not apply: doc is missing path: "${path}": missing value`);
  const fault = removeAt(place);
  if (fault !== undefined) throw failed(`error in remove for path: '${path}': ${fault}`);
}

function replace(state: State, path: string, value: JsonValue): void {
  if (path === '') {
    if (typeof value !== 'object' || value === null) throw failed('replace operation value must be object or array');
    state.root = value;
    return;
  }
  const place = locate(state.root, path);
  if (place === undefined) throw failed(`replace operation does not apply: doc is missing path: ${path}: missing value`);
  if (readAt(place).type === 'invalid')
    throw failed(`replace operation does not apply: doc is missing key: ${path}: missing value`);
  setAt(place, value);
}

function move(state: State, operation: JsonPatchOperation): void {
  const from = fromOf(operation, 'move');
  const place = locate(state.root, from);
  if (place === undefined) throw failed(`move operation does not apply: doc is missing from path: ${from}: missing value`);
  const found = readAt(place);
  if (found.type === 'invalid') throw failed(`error in move for path: '${place.key}': ${found.message}`);
  const fault = removeAt(place);
  if (fault !== undefined) throw failed(`error in move for path: '${place.key}': ${fault}`);
  add(state, pathOf(operation, 'move'), found.value ?? null, 'move');
}

function copy(state: State, operation: JsonPatchOperation): void {
  const from = fromOf(operation, 'copy');
  const place = locate(state.root, from);
  if (place === undefined) throw failed(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
  const found = readAt(place);
  if (found.type === 'invalid') throw failed(`error in copy for from: '${from}': ${found.message}`);
  const value = found.value ?? null;
  state.copiedBytes += value === null ? 0 : Buffer.byteLength(stringifyJson(value));
  if (state.copiedBytes > JSON_PATCH_COPY_BYTES_MAX) {
    const size = `the accumulated size increase of copy is ${state.copiedBytes}, exceeding the limit ${JSON_PATCH_COPY_BYTES_MAX}`;
    throw new PatchError('tooLarge', `Unable to complete the copy, ${size}`);
  }
  add(state, pathOf(operation, 'copy'), cloneJson(value), 'copy');
}

function test(state: State, path: string, wanted: JsonValue): void {
  if (path === '') {
    if (!deepEqual(state.root, wanted)) throw failed(`testing value ${path} failed: test failed`);
    return;
  }
  const place = locate(state.root, path);
  if (place === undefined) throw failed(`test operation does not apply: is missing path: ${path}: missing value`);
  const found = readAt(place);
  if (found.type === 'invalid') throw failed(`error in test for path: '${path}': ${found.message}`);
  if (!deepEqual(found.value ?? null, wanted)) throw failed(`testing value ${path} failed: test failed`);
}

function failed(message: string): PatchError {
  return new PatchError('failed', message);
}

/** `move` can nest a document deeper than any body may be; what comes after walks by recursion. */
function refuseDeep(root: JsonValue): void {
  let level: Container[] = isContainer(root) ? [root] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= NESTING_MAX) throw failed(`the result is nested deeper than ${NESTING_MAX} levels`);
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
}

function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}
