/** Strategic merge patch, directive by directive; the recorded cases (patches-oracle.test.ts) mix them all. */
import { describe, expect, test } from 'vitest';
import { builtInSchema } from '../../../shared/apis/schemas.ts';
import type { JsonObject, JsonValue } from '../../../shared/machinery/object.ts';
import { applyStrategicMergePatch, PatchError } from '../../../shared/machinery/patch/strategic.ts';

function patchPod(spec: JsonObject, patch: JsonObject, metadata: [JsonObject, JsonObject] = [{}, {}]): JsonObject {
  const schema = builtInSchema('', 'v1', 'Pod');
  if (schema === undefined) throw new Error('Pod has no schema');
  return applyStrategicMergePatch({ metadata: metadata[0], spec }, { metadata: metadata[1], spec: patch }, schema);
}

const A: JsonObject = { name: 'a', image: 'i' };
const B: JsonObject = { name: 'b', image: 'i' };
const C: JsonObject = { name: 'c', image: 'i' };

describe('lists of maps merge by their key', () => {
  test.each<[string, JsonValue[], JsonObject, JsonValue[]]>([
    ['into the item with the key', [A, B], { containers: [{ name: 'b', image: 'j' }] }, [A, { name: 'b', image: 'j' }]],
    ['new items after those that stood before', [A], { containers: [B] }, [B, A]],
    ['deleting one', [A, B], { containers: [{ $patch: 'delete', name: 'a' }] }, [B]],
    ['replacing all', [A, B], { containers: [{ $patch: 'replace' }, C] }, [C]],
    ['in the order asked for', [A, B], { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }, [B, A]],
    [
      'leaving server-only items beside their neighbours',
      [A, C, B],
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }], containers: [A, B].reverse() },
      [C, B, A],
    ],
    ['removing a member by null', [{ ...A, tty: true }], { containers: [{ name: 'a', tty: null }] }, [A]],
  ])('%s', (_sentence, containers, patch, want) => {
    expect((patchPod({ containers }, patch).spec as JsonObject).containers).toEqual(want);
  });

  test('ports go by their number alone, whatever the protocol', () => {
    const ports = [{ containerPort: 53, protocol: 'UDP' }];
    const made = patchPod(
      { containers: [{ ...A, ports }] },
      { containers: [{ name: 'a', ports: [{ containerPort: 53, protocol: 'TCP' }] }] },
    );
    expect(made.spec).toEqual({ containers: [{ ...A, ports: [{ containerPort: 53, protocol: 'TCP' }] }] });
  });

  test('tolerations have no key and are replaced', () => {
    expect(patchPod({ tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'b' }] }).spec).toEqual({
      tolerations: [{ key: 'b' }],
    });
  });
});

describe('lists of scalars are ordered sets', () => {
  const finalizers = (old: string[], patch: JsonObject): JsonValue | undefined =>
    (patchPod({}, {}, [{ finalizers: old }, patch]).metadata as JsonObject).finalizers;

  test.each<[string, string[], JsonObject, string[]]>([
    ['joined without repeats', ['a'], { finalizers: ['b', 'a'] }, ['b', 'a']],
    ['less what is deleted', ['a', 'b'], { '$deleteFromPrimitiveList/finalizers': ['a'] }, ['b']],
    ['ordered', ['a', 'b'], { '$setElementOrder/finalizers': ['b', 'a'] }, ['b', 'a']],
  ])('%s', (_sentence, old, patch, want) => {
    expect(finalizers(old, patch)).toEqual(want);
  });
});

describe('maps', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'merge',
      { securityContext: { runAsUser: 1 } },
      { securityContext: { fsGroup: 2 } },
      { securityContext: { runAsUser: 1, fsGroup: 2 } },
    ],
    [
      'are replaced on request',
      { securityContext: { runAsUser: 1 } },
      { securityContext: { $patch: 'replace', fsGroup: 2 } },
      { securityContext: { fsGroup: 2 } },
    ],
    [
      'are emptied on request',
      { securityContext: { runAsUser: 1 } },
      { securityContext: { $patch: 'delete' } },
      { securityContext: {} },
    ],
    [
      'keep only what retainKeys lists',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: [{ name: 'v', hostPath: { path: '/' }, $retainKeys: ['name', 'hostPath'] }] },
      { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    ],
    [
      'that are new lose nulls and directives',
      {},
      { securityContext: { runAsUser: null, windowsOptions: { $patch: 'delete' } } },
      { securityContext: {} },
    ],
    ['go by null', { securityContext: { runAsUser: 1 } }, { securityContext: null }, {}],
  ])('%s', (_sentence, spec, patch, want) => {
    expect(patchPod(spec, patch).spec).toEqual(want);
  });
});

describe('what is refused', () => {
  test.each<[string, JsonObject, JsonObject, PatchError['type'], string]>([
    [
      'an unknown directive',
      { securityContext: {} },
      { securityContext: { $patch: 'x' } },
      'failed',
      'unknown patch type: x in map: map[$patch:x]',
    ],
    [
      'an unknown directive in a list',
      { containers: [A] },
      { containers: [{ name: 'a', $patch: 'x' }] },
      'failed',
      'unknown patch type: x in map: map[$patch:x name:a]',
    ],
    [
      'an item without its key',
      { containers: [A] },
      { containers: [{ image: 'j' }] },
      'failed',
      'map: map[image:j] does not contain declared merge key: name',
    ],
    ['retainKeys that are no list', { a: 1 }, { $retainKeys: 'x' }, 'malformed', 'invalid patch format of retainKeys'],
    [
      'members that retainKeys forgets',
      { a: 1 },
      { $retainKeys: ['b'], c: 1 },
      'malformed',
      'invalid patch format of retainKeys',
    ],
    [
      'a list to delete from without a name',
      {},
      { $deleteFromPrimitiveList: [] },
      'malformed',
      'invalid patch format of primitive list',
    ],
    ['an order without a name', {}, { $setElementOrder: [] }, 'malformed', 'invalid patch format of setElementOrder list'],
    [
      'items that are not all of one type',
      { containers: [A] },
      { containers: ['x'] },
      'failed',
      'list element types are not identical',
    ],
    [
      'merging what is not declared',
      { foo: {} },
      { foo: {} },
      'failed',
      'unable to find api field in struct PodSpec for the json field "foo"',
    ],
  ])('%s', (_sentence, spec, patch, type, message) => {
    const attempt = (): JsonObject => patchPod(spec, patch);
    expect(attempt).toThrow(PatchError);
    expect(attempt).toThrow(expect.objectContaining({ type, message: expect.stringContaining(message) }));
  });
});

test.each(['__proto__', 'constructor', 'prototype'])('%s is an ordinary key', (key) => {
  const labels = JSON.parse(`{"${key}":{"polluted":1}}`) as JsonObject;
  for (const old of [{}, { labels: { a: 'b' } }, { labels: JSON.parse(`{"${key}":"old"}`) as JsonObject }]) {
    const made = (patchPod({}, {}, [old, { labels }]).metadata as JsonObject).labels as object;
    expect(Object.getOwnPropertyDescriptor(made, key)?.value).toEqual({ polluted: 1 });
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  }
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
