/** Building blocks of printer columns. Cell texts follow kube-apiserver's printers (reference: Kubernetes API behaviour, Tables). */
import { formatHumanDuration } from '../../machinery/duration.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { parseTime } from '../../machinery/time.ts';
import type { Column } from '../definition.ts';
import { once } from '../once.ts';

export type Cell = Column['cell'];

/** A text column. */
export function text(name: string, cell: Cell): Column {
  return { name, type: 'string', priority: 0, cell };
}

/** A column of whole numbers. */
export function integer(name: string, cell: Cell): Column {
  return { name, type: 'integer', priority: 0, cell };
}

/** The same column, shown only with `-o wide`. */
export function wide(column: Column): Column {
  return { ...column, priority: 1 };
}

/** `Name`: the column that kubectl recognises by its format. */
export const NAME: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  priority: 0,
  cell: (object) => object.metadata.name ?? '',
};

/** `Age`: time since creation, human form. */
export const AGE: Column = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  priority: 0,
  cell: (object, now) => ageOf(object.metadata.creationTimestamp, now),
};

/** `Age` of custom resources: upstream types it as a date, the cell is the same. */
export const DATE_AGE: Column = { ...AGE, type: 'date' };

const CREATED_AT: Column = {
  name: 'Created At',
  type: 'date',
  description: 'Time at which the object was created.',
  priority: 0,
  cell: (object) => object.metadata.creationTimestamp ?? null,
};

/** What a kind without a printer of its own shows: Name, Created At. */
export const plainColumns: () => readonly Column[] = once(() => [NAME, CREATED_AT]);

/** Time from a timestamp until `now` in human form; `<unknown>` when there is none. */
export function ageOf(timestamp: unknown, now: number): string {
  const time = timeOf(timestamp);
  return time === undefined ? '<unknown>' : formatHumanDuration(now - time);
}

/** Epoch ms of a timestamp field; undefined when it is absent or no time. */
export function timeOf(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'string' || timestamp === '') return undefined;
  try {
    return parseTime(timestamp);
  } catch {
    return undefined;
  }
}

/** The text, or `<none>` where it is empty. */
export function orNone(value: unknown): string {
  return value === undefined || value === null || value === '' ? '<none>' : String(value);
}

/** `k=v,k2=v2` with the keys in order; `<none>` for no entries. */
export function formatMap(map: unknown): string {
  if (typeof map !== 'object' || map === null) return '<none>';
  const pairs = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? '<none>' : pairs.map(([key, value]) => `${key}=${value}`).join(',');
}

/** The first three, and ` + N more...`. */
export function firstThree(values: readonly string[]): string {
  if (values.length <= 3) return values.join(',');
  return `${values.slice(0, 3).join(',')} + ${values.length - 3} more...`;
}

/** A whole number of a field, 0 when absent. */
export function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** Elements of a list field; none when it is absent. Typed loosely: cells read other people's objects. */
export function list(value: unknown): KubeObject[string][] {
  return Array.isArray(value) ? value : [];
}

/** Is the condition present with status True? */
export function hasCondition(conditions: unknown, type: string): boolean {
  return list(conditions).some((condition) => condition?.type === type && condition?.status === 'True');
}

/** Container names, images and label selector of a workload's pod template: the wide columns of most workloads. */
export function templateColumns(template: (object: KubeObject) => unknown): readonly [Column, Column] {
  const containers = (object: KubeObject) =>
    list((template(object) as { spec?: { containers?: unknown } } | undefined)?.spec?.containers);
  return [
    {
      ...wide(
        text('Containers', (object) =>
          containers(object)
            .map((container) => container?.name ?? '')
            .join(','),
        ),
      ),
      description: 'Names of each container in the template.',
    },
    {
      ...wide(
        text('Images', (object) =>
          containers(object)
            .map((container) => container?.image ?? '')
            .join(','),
        ),
      ),
      description: 'Images referenced by each container in the template.',
    },
  ];
}
