/** Places in a JSON document that is being changed: a container and the key in it. */
import { setOwn } from '../equality.ts';
import type { JsonObject, JsonValue } from '../object.ts';

export type Container = JsonObject | JsonValue[];

/** The last step of a JSON pointer. In a list `key` is an index: it may be negative, counting from the end. */
export type Place = { container: Container; key: string };

/** The unescaped steps of a JSON pointer, without the empty one before the first slash. */
export function tokensOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replace(/~[01]/g, (escaped) => (escaped === '~1' ? '/' : '~')));
}

/** Where a pointer leads; undefined when the container is not there. The root itself is no place. */
export function locate(root: JsonValue, pointer: string): Place | undefined {
  const tokens = tokensOf(pointer);
  const key = tokens.pop();
  if (key === undefined) return undefined;
  let container: JsonValue | undefined = root;
  for (const token of tokens) {
    if (!isContainer(container)) return undefined;
    const found = readAt({ container, key: token });
    container = found.type === 'ok' ? found.value : undefined;
  }
  return isContainer(container) ? { container, key } : undefined;
}

function isContainer(value: JsonValue | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

export type Read = { type: 'ok'; value: JsonValue | undefined } | { type: 'invalid'; message: string };

/** What is there: undefined for an absent member; `invalid` for an index that is none or out of range. */
export function readAt({ container, key }: Place): Read {
  if (!Array.isArray(container)) return { type: 'ok', value: Object.hasOwn(container, key) ? container[key] : undefined };
  const index = indexIn(container, key);
  return typeof index === 'string' ? { type: 'invalid', message: index } : { type: 'ok', value: container[index] };
}

/** Sets a member, or an item that is there (`readAt` was `ok`). */
export function setAt({ container, key }: Place, value: JsonValue): void {
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return;
  }
  const index = indexIn(container, key);
  if (typeof index === 'number') container[index] = value;
}

/** Removes a member or item; returns why not. */
export function removeAt({ container, key }: Place): string | undefined {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, key)) return `Unable to remove nonexistent key: ${key}: missing value`;
    delete container[key];
    return undefined;
  }
  const index = indexIn(container, key);
  if (typeof index === 'string') return index;
  container.splice(index, 1);
  return undefined;
}

/** An index that is there, or why it is none. */
function indexIn(list: readonly JsonValue[], key: string): number | string {
  const index = parseIndex(key);
  if (index === undefined) return `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
  if (index >= list.length || index < -list.length) return `Unable to access invalid index: ${index}: invalid index referenced`;
  return index < 0 ? index + list.length : index;
}

/** A list index as Go's Atoi reads it; undefined when it is none. */
export function parseIndex(key: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(key) ? Number(key) : undefined;
}
