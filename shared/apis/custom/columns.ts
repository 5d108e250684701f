/** Printer columns and selectable fields of custom resources: paths into the object, as their definition names them. */
import { findJsonPath, parseJsonPath } from '../../machinery/json-path.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import type { Column } from '../definition.ts';
import { ageOf, DATE_AGE, NAME, timeOf } from '../printing/columns.ts';
import type { CrdColumn } from './crd.ts';

/** Name, and the columns of the definition; Age where it has none. A path that cannot be read shows Name alone, as upstream. */
export function customColumns(columns: readonly CrdColumn[] | undefined): Column[] {
  if (columns === undefined || columns.length === 0) return [NAME, DATE_AGE];
  const parsed = columns.map((column) => ({ column, path: parseJsonPath(column.jsonPath) }));
  const unread = parsed.findIndex(({ path }) => path === undefined);
  const readable = unread < 0 ? parsed : parsed.slice(0, unread);
  return [NAME, ...readable.map(({ column, path }) => toColumn(column, path ?? []))];
}

function toColumn(column: CrdColumn, path: NonNullable<ReturnType<typeof parseJsonPath>>): Column {
  const { name, type, format, description, priority = 0, jsonPath } = column;
  return {
    name,
    type: type as Column['type'],
    ...(format ? { format } : {}),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell: (object, now) => cellOf(type, findJsonPath(path, object as unknown as JsonObject)[0], now),
  };
}

/** Values of another type than the column's show nothing; a text column shows anything, structures as JSON. */
function cellOf(type: string, value: JsonValue | undefined, now: number): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    case 'integer':
      return typeof value === 'number' || typeof value === 'bigint' ? Math.trunc(Number(value)) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value !== 'string' ? null : timeOf(value) === undefined ? '<invalid>' : ageOf(value, now);
    default:
      return null;
  }
}

/** A field selector's label (the path without its first dot) and how its value is read; '' when absent. */
export function customField(jsonPath: string): [string, (object: KubeObject) => string] {
  const path = parseJsonPath(jsonPath) ?? [];
  const read = (object: KubeObject) => {
    const [value] = findJsonPath(path, object as unknown as JsonObject);
    return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
  };
  return [jsonPath.replace(/^\./, ''), read];
}
