/** Between rows and what the port speaks of. Maps and lists are kept as compact JSON; empty ones as an empty text, which needs no parsing. */
import type { StoredObject } from '../../ports/object-store.ts';
import { formatVersion } from './versions.ts';

/** How slot.type is stored. */
export const CHANGE_TYPES = ['added', 'modified', 'deleted'] as const;

/** Columns of one version, for a slot under the alias `s`, in the order of `VersionRow`. */
export const VERSION_COLUMNS = 's.n, s.namespace, s.name, s.uid, s.owners, s.labels, s.fields, s.managed, s.body';
/** A row of `VERSION_COLUMNS`. */
export type VersionRow = readonly [
  n: number,
  namespace: string,
  name: string,
  uid: string,
  owners: string,
  labels: string,
  fields: string,
  managed: string,
  body: string,
];

/** A version as an object of the port. */
export function storedObject(scope: string, row: VersionRow): StoredObject {
  const [n, namespace, name, uid, owners, labels, fields, managedFields, body] = row;
  return {
    scope,
    namespace,
    name,
    uid,
    body,
    managedFields,
    labels: unpackMap(labels),
    fields: unpackMap(fields),
    ownerUids: unpackList(owners),
    resourceVersion: formatVersion(n),
  };
}

/** A map as text. */
export function packMap(map: Record<string, string>): string {
  for (const _key in map) return JSON.stringify(map);
  return '';
}

/** The inverse of `packMap`. */
export function unpackMap(text: string): Record<string, string> {
  return text === '' ? {} : (JSON.parse(text) as Record<string, string>);
}

/** A list as text. */
export function packList(list: readonly string[]): string {
  return list.length === 0 ? '' : JSON.stringify(list);
}

/** The inverse of `packList`. */
export function unpackList(text: string): string[] {
  return text === '' ? [] : (JSON.parse(text) as string[]);
}
