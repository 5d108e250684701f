/** The objects that a pod spec names: what must be in the member's namespace before its pods can run. Forms as KubeAdmiral finds them. */
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import { isJsonObject } from '../overrides/pod-spec.ts';

/** Names by kind; every kind is of the core group. */
export type PodReferences = Record<'ConfigMap' | 'Secret' | 'PersistentVolumeClaim' | 'ServiceAccount', Set<string>>;

type Source = { kind: keyof PodReferences; path: readonly string[] };

const secret = (...path: string[]): Source => ({ kind: 'Secret', path });
const configMap = (...path: string[]): Source => ({ kind: 'ConfigMap', path });

const ENV_FROM: readonly Source[] = [configMap('configMapRef', 'name'), secret('secretRef', 'name')];
const ENV: readonly Source[] = [configMap('valueFrom', 'configMapKeyRef', 'name'), secret('valueFrom', 'secretKeyRef', 'name')];
const PROJECTED: readonly Source[] = [configMap('configMap', 'name'), secret('secret', 'name')];
const VOLUME: readonly Source[] = [
  configMap('configMap', 'name'),
  secret('secret', 'secretName'),
  { kind: 'PersistentVolumeClaim', path: ['persistentVolumeClaim', 'claimName'] },
  secret('azureFile', 'secretName'),
  secret('cephfs', 'secretRef', 'name'),
  secret('cinder', 'secretRef', 'name'),
  secret('flexVolume', 'secretRef', 'name'),
  secret('rbd', 'secretRef', 'name'),
  secret('scaleIO', 'secretRef', 'name'),
  secret('iscsi', 'secretRef', 'name'),
  secret('storageos', 'secretRef', 'name'),
  secret('csi', 'nodePublishSecretRef', 'name'),
];

/** All references of containers, init and ephemeral containers, volumes, image pull secrets and the service account. */
export function podReferences(podSpec: JsonObject): PodReferences {
  const found: PodReferences = {
    ConfigMap: new Set(),
    Secret: new Set(),
    PersistentVolumeClaim: new Set(),
    ServiceAccount: new Set(),
  };
  for (const container of ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) => objects(podSpec[list]))) {
    for (const source of objects(container.envFrom)) collect(found, source, ENV_FROM);
    for (const variable of objects(container.env)) collect(found, variable, ENV);
  }
  for (const volume of objects(podSpec.volumes)) {
    collect(found, volume, VOLUME);
    const { projected } = volume;
    if (isJsonObject(projected)) for (const source of objects(projected.sources)) collect(found, source, PROJECTED);
  }
  for (const reference of objects(podSpec.imagePullSecrets)) collect(found, reference, [secret('name')]);
  collect(found, podSpec, [{ kind: 'ServiceAccount', path: ['serviceAccountName'] }]);
  return found;
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function collect(found: PodReferences, from: JsonObject, sources: readonly Source[]): void {
  for (const { kind, path } of sources) {
    let value: JsonValue | undefined = from;
    for (const step of path) value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    if (typeof value === 'string' && value !== '') found[kind].add(value);
  }
}
