/** New objects, beside what a real kube-apiserver 1.35.4 made of the same input (real/created.json, by `kubectl create --dry-run=server`). */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { prepareCreate } from '../../../shared/apis/lifecycle.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { definitionOf, readAs } from './support.ts';

type Case = { given: KubeObject; want: KubeObject };

const cases = JSON.parse(readFileSync(new URL('real/created.json', import.meta.url), 'utf8')) as Case[];
const registry = createRegistry(builtInDefinitions());
const NOW = Date.parse('2026-01-02T03:04:05Z');

/** What admission plugins, allocators and controllers of the real one add, and ours leaves out on purpose. */
function withoutKnownDifferences({ kind, metadata, spec, status, ...rest }: KubeObject): KubeObject {
  const object: KubeObject = structuredClone({
    kind,
    metadata,
    ...rest,
    ...(spec ? { spec } : {}),
    ...(status ? { status } : {}),
  });
  if (kind === 'Pod') dropAdmitted(object.spec);
  if (kind === 'PersistentVolume' || kind === 'PersistentVolumeClaim') delete object.metadata.finalizers;
  if (kind === 'Node') {
    delete object.spec;
    delete object.status;
  }
  if (kind === 'Service' && object.spec.type !== 'ExternalName') dropAllocated(object.spec);
  return object;
}

/** What plugins of the API server add; test/integration/apiserver/admission.test.ts holds ours. */
function dropAdmitted(spec: KubeObject[string]): void {
  for (const field of ['serviceAccount', 'serviceAccountName', 'priority', 'preemptionPolicy', 'tolerations']) delete spec[field];
  const isToken = (volume: { name: string }) => volume.name.startsWith('kube-api-access-');
  spec.volumes = (spec.volumes ?? []).filter((volume: { name: string }) => !isToken(volume));
  if (spec.volumes.length === 0) delete spec.volumes;
  for (const container of spec.containers) {
    container.volumeMounts = (container.volumeMounts ?? []).filter((mount: { name: string }) => !isToken(mount));
    if (container.volumeMounts.length === 0) delete container.volumeMounts;
  }
}

function dropAllocated(spec: KubeObject[string]): void {
  if (spec.clusterIP !== 'None') for (const field of ['clusterIP', 'clusterIPs']) delete spec[field];
  // A headless Service without selector asks for both families there; ours have one.
  if (spec.selector === undefined) for (const field of ['ipFamilies', 'ipFamilyPolicy']) delete spec[field];
  for (const port of spec.ports ?? []) delete port.nodePort;
}

describe('a new object gets what kube-apiserver gives it', () => {
  test.each(cases.map((each) => [`${each.given.apiVersion} ${each.given.kind} ${each.given.metadata.name}`, each] as const))(
    '%s',
    (_name, { given, want }) => {
      const definition = definitionOf(registry, given);
      const object = readAs(definition, given);
      const created = prepareCreate(definition, object, { now: NOW, uid: 'UID' });
      const read = definition.conversion ? definition.conversion.fromStored(definition.conversion.toStored(created)) : created;
      expect(withoutKnownDifferences(read)).toEqual(withoutKnownDifferences(want));
    },
  );
});
