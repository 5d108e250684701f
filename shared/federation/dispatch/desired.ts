/**
 * The object that one cluster is to have, exactly as field manager `lamiral` is to own it: the template, what its kind needs, the overrides of
 * the cluster in the order of the type's pipeline, and our labels and annotations. Nothing that a server sets, and no status.
 */
import { canonicalJson, sha256Hex } from '../../machinery/canonical.ts';
import { cloneJson } from '../../machinery/equality.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { deletePath, getPath } from '../../machinery/paths.ts';
import {
  DECISION_ANNOTATION,
  FEDERATED_UID_ANNOTATION,
  MANAGED_LABEL,
  PROPAGATED_ANNOTATION_KEYS_ANNOTATION,
  PROPAGATED_LABEL_KEYS_ANNOTATION,
  RETAIN_REPLICAS_ANNOTATION,
  SOURCE_GENERATION_ANNOTATION,
} from '../keys.ts';
import type { OverridePatch } from '../overrides/overriders.ts';
import { applyPatches } from '../overrides/patches.ts';
import { isJsonObject } from '../overrides/pod-spec.ts';
import type { DispatchState } from '../records.ts';
import type { SourceType } from '../snapshot.ts';
import { tweakForMembers } from './tweaks.ts';

/** A field that the member decides once the copy exists: `initial` is what a new copy starts with. */
export type RetainedField = { path: string; initial: JsonValue };

/** `hash` is the same for the same content, whatever the decision's number; `retained` fields are in neither. */
export type Desired = { object: KubeObject; hash: string; retained: readonly RetainedField[] };

export type DesiredResult = ({ type: 'ok' } & Desired) | { type: 'invalid'; state: DispatchState; message: string };

type Input = { federated: KubeObject; cluster: string; decision: number; type: SourceType; typeConfig: KubeObject };

/** Makes the object for `cluster`. `decision` is the number of the decision that it will carry. Invalid: no usable template, or overrides that do not apply. */
export function desiredObject({ federated, cluster, decision, type, typeConfig }: Input): DesiredResult {
  const template: unknown = federated.spec?.template;
  if (!isJsonObject(template) || !isJsonObject(template.metadata) || template.kind !== type.kind)
    return { type: 'invalid', state: 'ComputeResourceFailed', message: `spec.template is not a ${type.kind}` };
  const start = startingPoint(template as KubeObject, type, federated.metadata.namespace ?? '');
  const patched = applyPatches(start, patchesFor(federated, cluster, typeConfig));
  if (patched.type === 'invalid')
    return { type: 'invalid', state: 'ApplyOverridesFailed', message: `overrides of cluster ${cluster}: ${patched.message}` };
  const object = withoutNulls(patched.object) as KubeObject;
  const retained = takeRetained(object, retainedPaths(federated, typeConfig));
  mark(object, federated.metadata.uid ?? '');
  const hash = sha256Hex(canonicalJson(object as JsonObject));
  object.metadata.annotations = { ...object.metadata.annotations, [DECISION_ANNOTATION]: String(decision) };
  return { type: 'ok', object, hash, retained };
}

/** The patches of one cluster from all override lists: ordered by the controllers' places in the type's pipeline, unknown controllers last. */
export function patchesFor(federated: KubeObject, cluster: string, typeConfig: KubeObject): OverridePatch[] {
  type List = { controller?: string; clusters?: { cluster?: string; patches?: OverridePatch[] | null }[] | null };
  const pipeline = ((typeConfig.spec?.controllers ?? []) as string[][]).flat();
  const place = ({ controller = '' }: List): number =>
    pipeline.includes(controller) ? pipeline.indexOf(controller) : pipeline.length;
  return ((federated.spec?.overrides ?? []) as List[])
    .toSorted((a, b) => place(a) - place(b))
    .flatMap(({ clusters }) => clusters ?? [])
    .filter((one) => one.cluster === cluster)
    .flatMap(({ patches }) => patches ?? []);
}

/** The template with only such metadata as belongs to the copy. */
function startingPoint(template: KubeObject, type: SourceType, namespace: string): KubeObject {
  const { metadata, status: _status, ...rest } = cloneJson(template);
  const annotations = { ...metadata.annotations };
  // Generation 0 means that the kind counts none.
  if (metadata.generation) annotations[SOURCE_GENERATION_ANNOTATION] = String(metadata.generation);
  const object = {
    ...rest,
    metadata: {
      name: metadata.name ?? '',
      ...(type.scope === 'Namespaced' ? { namespace: metadata.namespace ?? namespace } : {}),
      labels: { ...metadata.labels },
      annotations,
      finalizers: [],
    },
  } as unknown as KubeObject;
  tweakForMembers(object, type.group);
  return object;
}

/** Dotted paths of the fields that members decide: the replicas where the annotation `retain-replicas` says so. */
export function retainedPaths(federated: KubeObject, typeConfig: KubeObject): string[] {
  const path: unknown = typeConfig.spec?.pathDefinition?.replicasSpec;
  const isRetained = federated.metadata.annotations?.[RETAIN_REPLICAS_ANNOTATION] === 'true';
  return isRetained && typeof path === 'string' && path !== '' ? [path] : [];
}

/** Takes out what members decide, in place. */
function takeRetained(object: KubeObject, paths: readonly string[]): RetainedField[] {
  return paths.flatMap((path) => {
    const initial = getPath(object, path);
    if (initial === undefined) return [];
    deletePath(object, path);
    return [{ path, initial }];
  });
}

/** The managed label, the lists of propagated keys, and whose copy it is. */
function mark(object: KubeObject, federatedUid: string): void {
  const { metadata } = object;
  const labels = { ...metadata.labels, [MANAGED_LABEL]: 'true' };
  const annotations = { ...metadata.annotations };
  const keys = { labels: sortedKeys(labels), annotations: sortedKeys(annotations) };
  annotations[PROPAGATED_LABEL_KEYS_ANNOTATION] = keys.labels;
  annotations[PROPAGATED_ANNOTATION_KEYS_ANNOTATION] = keys.annotations;
  if (federatedUid !== '') annotations[FEDERATED_UID_ANNOTATION] = federatedUid;
  metadata.labels = labels;
  metadata.annotations = annotations;
  if (metadata.finalizers?.length === 0) delete metadata.finalizers;
}

function sortedKeys(map: Readonly<Record<string, string>>): string {
  return Object.keys(map).sort().join(',');
}

/** Null members say nothing to a server that decodes into structs, but would be owned by us. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member as JsonValue)]));
}
