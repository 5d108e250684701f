/**
 * Bad objects, and what a real kube-apiserver 1.35.4 said of them (real/refused.json, real/updates.json): the same fields, reasons and
 * texts, in any order. Empty causes: it took the object.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import type { FieldError } from '../../../shared/apis/definition.ts';
import { prepareCreate, prepareUpdate, validateObjectMeta } from '../../../shared/apis/lifecycle.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { definitionOf, readAs } from './support.ts';

type Cause = [field: string, reason: string, message: string];
type Refusal = { name: string; given: KubeObject; causes: Cause[] };

const registry = createRegistry(builtInDefinitions());
const NOW = Date.parse('2026-01-02T03:04:05Z');
const read = <T>(file: string): T[] => JSON.parse(readFileSync(new URL(`real/${file}`, import.meta.url), 'utf8')) as T[];

/** What only an allocator, an admission plugin, or upstream's habit of saying things twice can say. */
const UNSAID = new Set(['svc same node port', 'generateName bad']);

function causesOf(errors: readonly FieldError[]): Cause[] {
  return distinct(errors.map(({ type, field, detail }) => [field, `FieldValue${type}`, detail]));
}

function distinct(causes: readonly Cause[]): Cause[] {
  return [...new Map(causes.map((cause) => [cause.join('\u0000'), cause])).values()].sort((a, b) =>
    a.join() < b.join() ? -1 : 1,
  );
}

function create(given: KubeObject): Cause[] {
  const definition = definitionOf(registry, given);
  const object = prepareCreate(definition, readAs(definition, given), { now: NOW, uid: 'UID' });
  return causesOf([...validateObjectMeta(definition, object), ...(definition.strategy.validate?.(object) ?? [])]);
}

describe('a new object that kube-apiserver refuses is refused in its words', () => {
  const cases = [...read<Refusal>('refused.json'), ...read<Refusal>('refused-small-groups.json')].filter(
    ({ name }) => !UNSAID.has(name),
  );
  test.each(cases.map((each) => [each.name, each] as const))('%s', (_name, { given, causes }) => {
    expect(create(given)).toEqual(distinct(causes));
  });
});

describe('a change that kube-apiserver refuses is refused in its words', () => {
  const cases = [
    ...read<Refusal & { old: KubeObject }>('updates.json'),
    ...read<Refusal & { old: KubeObject }>('updates-small-groups.json'),
  ];
  test.each(cases.map((each) => [each.name, each] as const))('%s', (_name, { old, given, causes }) => {
    const definition = definitionOf(registry, old);
    const object = prepareUpdate(definition, readAs(definition, given), old, { now: NOW, subresource: '' });
    const { validate, validateUpdate, validateChange } = definition.strategy;
    const errors = [
      ...validateObjectMeta(definition, object, old),
      ...(validateChange?.(object, old, '') ?? [...(validate?.(object) ?? []), ...(validateUpdate?.(object, old) ?? [])]),
    ];
    expect(causesOf(errors).map((cause) => withoutStructure(cause, old.kind))).toEqual(distinct(causes));
  });
});

/** Upstream prints pod templates and claims in Go's spelling; the case keeps the sentence only. */
function withoutStructure([field, reason, message]: Cause, kind: string): Cause {
  const isStructure = field === 'spec.template' || (field === 'spec' && kind.startsWith('ResourceClaim'));
  return [field, reason, isStructure ? 'field is immutable' : message];
}
