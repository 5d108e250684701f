/** Tables beside those of a real kube-apiserver 1.35.4 (real/tables.json): the same columns, and in them the same cells at the same time. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { definitionOf } from './support.ts';

type Printed = {
  name: string;
  now: number;
  object: KubeObject;
  columns: [name: string, type: string, format: string, priority: number][];
  cells: unknown[];
};

const registry = createRegistry(builtInDefinitions());
const cases = JSON.parse(readFileSync(new URL('real/tables.json', import.meta.url), 'utf8')) as Printed[];

describe('an object prints as kube-apiserver prints it', () => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', (_name, { now, object, columns, cells }) => {
    const own = definitionOf(registry, object).columns;
    expect(own.map(({ name, type, format, priority }) => [name, type, format ?? '', priority])).toEqual(columns);
    // Upstream hands over more cells than columns for a few kinds; clients read as many as there are columns.
    expect(own.map((column) => column.cell(object, now))).toEqual(cells.slice(0, columns.length));
  });
});
