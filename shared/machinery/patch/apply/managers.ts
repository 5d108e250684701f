/** `metadata.managedFields` in and out: one entry per manager, operation, version and subresource. */
import type { ManagedFieldsEntry } from '../../object.ts';
import { compareText } from './element.ts';
import type { FieldSet } from './field-set.ts';
import { formatFieldsV1, parseFieldsV1 } from './fields-v1.ts';

/** Who acts. `subresource` is empty for the object itself. */
export type Actor = { manager: string; operation: 'Apply' | 'Update'; apiVersion: string; subresource: string };

/** What one actor owns. `time` is that of its last change; undefined when it never changed a value. */
export type ManagedSet = Actor & { time: string | undefined; set: FieldSet };

/** All owners of an object, by `actorId`. */
export type Managers = Map<string, ManagedSet>;

/** Two entries with one identity are one. An applier stays the same when it changes the version it applies. */
export function actorId({ manager, operation, apiVersion, subresource }: Actor): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' || apiVersion === '' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

export type DecodedManagers = { type: 'ok'; managers: Managers } | { type: 'invalid'; message: string };

/** Reads `metadata.managedFields`; `invalid` when an entry has no operation, version or readable fields. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[] | undefined): DecodedManagers {
  const managers: Managers = new Map();
  for (const [index, entry] of (entries ?? []).entries()) {
    const fault = entryFault(entry, index);
    if (fault !== undefined) return { type: 'invalid', message: fault };
    try {
      const actor: Actor = {
        manager: entry.manager ?? '',
        operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
        apiVersion: entry.apiVersion ?? '',
        subresource: entry.subresource ?? '',
      };
      managers.set(actorId(actor), { ...actor, time: entry.time, set: parseFieldsV1(entry.fieldsV1) });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return { type: 'invalid', message: `error decoding set: ${error.message}` };
    }
  }
  return { type: 'ok', managers };
}

function entryFault(entry: ManagedFieldsEntry, index: number): string | undefined {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') return 'operation must be `Apply` or `Update`';
  if (entry.apiVersion === undefined || entry.apiVersion === '') return 'apiVersion must not be empty';
  const type: string | undefined = entry.fieldsType;
  if (type === undefined || type === '') return `missing fieldsType in managed fields entry ${index}`;
  return type === 'FieldsV1' ? undefined : `invalid fieldsType ${JSON.stringify(type)} in managed fields entry ${index}`;
}

/** Writes `metadata.managedFields`: appliers first, then by time, manager, version and subresource. */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()].sort(compareOwners).map(({ manager, operation, apiVersion, subresource, time, set }) => ({
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1' as const,
    fieldsV1: formatFieldsV1(set),
    ...(subresource === '' ? {} : { subresource }),
  }));
}

function compareOwners(a: ManagedSet, b: ManagedSet): number {
  if (a.operation !== b.operation) return a.operation < b.operation ? -1 : 1;
  return (
    secondsOf(a.time) - secondsOf(b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** Seconds since the epoch of an entry's time; 0 when it has none. */
export function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}
