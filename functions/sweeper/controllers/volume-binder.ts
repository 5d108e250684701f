/** Binds claims to volumes that fit, and keeps their phases (pkg/controller/volume/persistentvolume, without provisioning: no driver runs here). */
import { resourceList } from '../../../shared/apis/core/resource-list.ts';
import { fromStored, type ObjectRef } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { compareQuantities } from '../../../shared/machinery/quantity.ts';
import { matchesLabels } from '../../../shared/machinery/selectors.ts';
import { formatTime } from '../../../shared/machinery/time.ts';
import { type Loaded, listStored } from '../../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { isPlaced } from './placed.ts';
import { requirementsOf } from './read.ts';
import { remove, update } from './write.ts';

const CLAIMS = '/persistentvolumeclaims';
const VOLUMES = '/persistentvolumes';
const BOUND_BY_US = 'pv.kubernetes.io/bound-by-controller';
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** `object` is a claim or a volume. */
export async function reconcileVolume(deps: ControlDeps, ref: ObjectRef): Promise<ReconcileResult> {
  const loaded = await deps.reader.get(ref);
  if (!loaded) return done('gone');
  if (await isPlaced(deps, loaded.object)) return done('bound on the members');
  const isSettled = ref.scope === CLAIMS ? await settleClaim(deps, loaded) : await settleVolume(deps, loaded);
  return isSettled ? done('settled') : requeueAfter(WRITE_RETRY_MS, 'changed meanwhile');
}

async function settleClaim(deps: ControlDeps, claim: Loaded): Promise<boolean> {
  const { object } = claim;
  if (object.metadata.deletionTimestamp !== undefined) return true;
  const name: string | undefined = object.spec?.volumeName;
  if (!name) return bindClaim(deps, claim);
  const volume = await deps.reader.get({ scope: VOLUMES, namespace: '', name });
  if (!volume) return object.status?.phase === 'Bound' ? setPhase(deps, claim, { phase: 'Lost' }) : true;
  const reference = volume.object.spec?.claimRef;
  if (reference && !isReferenceTo(reference, object)) return true;
  if (!(await bindVolume(deps, volume, object))) return false;
  return completeClaim(deps, claim, volume.object);
}

/** The smallest volume that fits; one that was made for this claim before any other. */
async function bindClaim(deps: ControlDeps, claim: Loaded): Promise<boolean> {
  let chosen: Loaded | undefined;
  for await (const stored of listStored(deps.objects, VOLUMES)) {
    const volume = { stored, object: fromStored(stored) };
    if (!fits(volume.object, claim.object) || (await isPlaced(deps, volume.object))) continue;
    if (volume.object.spec.claimRef) {
      chosen = volume;
      break;
    }
    if (!chosen || compareQuantities(sizeOf(volume.object), sizeOf(chosen.object)) < 0) chosen = volume;
  }
  if (!chosen) return true;
  if (await waitsForPod(deps, claim.object, chosen.object)) return true;
  if (!(await bindVolume(deps, chosen, claim.object))) return false;
  return completeClaim(deps, claim, chosen.object);
}

/** A class may ask that nothing is bound before a pod needs it; there is no scheduler here that would say so for volumes of nodes. */
async function waitsForPod(deps: ControlDeps, claim: KubeObject, volume: KubeObject): Promise<boolean> {
  const name = classOf(claim);
  if (name === '' || volume.spec.claimRef) return false;
  const found = await deps.reader.get({ scope: 'storage.k8s.io/storageclasses', namespace: '', name });
  if (found?.object.volumeBindingMode !== 'WaitForFirstConsumer') return false;
  for await (const stored of listStored(deps.objects, '/pods', claim.metadata.namespace ?? ''))
    if (stored.body.includes(`"claimName":"${claim.metadata.name}"`)) return false;
  return true;
}

/** Could this volume serve this claim? Pure. */
export function fits(volume: KubeObject, claim: KubeObject): boolean {
  const { claimRef, accessModes = [], volumeMode = 'Filesystem' } = volume.spec ?? {};
  if (volume.metadata.deletionTimestamp !== undefined || (claimRef && !isReferenceTo(claimRef, claim))) return false;
  if (!claimRef && volume.status?.phase !== 'Available' && volume.status?.phase !== 'Pending') return false;
  const asked = claim.spec ?? {};
  const requirements = asked.selector ? requirementsOf(asked.selector) : [];
  if (classOf(volume) !== classOf(claim) || volumeMode !== (asked.volumeMode ?? 'Filesystem')) return false;
  if (!requirements || !matchesLabels(requirements, volume.metadata.labels)) return false;
  const request = resourceList(asked.resources?.requests).get('storage');
  const isLarge = request === undefined || compareQuantities(sizeOf(volume), request) >= 0;
  return isLarge && ((asked.accessModes ?? []) as string[]).every((mode) => accessModes.includes(mode));
}

function sizeOf({ spec }: KubeObject) {
  return resourceList(spec?.capacity).get('storage') ?? { unscaled: 0n, scale: 0, format: 'BinarySI' as const };
}

function classOf({ metadata, spec }: KubeObject): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';
}

type ClaimReference = { namespace?: string; name?: string; uid?: string };

function isReferenceTo({ namespace, name, uid }: ClaimReference, { metadata }: KubeObject): boolean {
  return namespace === metadata.namespace && name === metadata.name && (!uid || uid === metadata.uid);
}

async function bindVolume(deps: ControlDeps, volume: Loaded, claim: KubeObject): Promise<boolean> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata;
  const { object } = volume;
  const isOurs = object.spec.claimRef === undefined;
  if (object.spec.claimRef?.uid === uid) return true;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
  const annotations = { ...object.metadata.annotations, ...(isOurs ? { [BOUND_BY_US]: 'yes' } : {}) };
  return update(deps, volume, { ...object, metadata: { ...object.metadata, annotations }, spec: { ...object.spec, claimRef } });
}

async function completeClaim(deps: ControlDeps, claim: Loaded, volume: KubeObject): Promise<boolean> {
  const { object } = claim;
  const annotations = { ...object.metadata.annotations, [BIND_COMPLETED]: 'yes' };
  if (!object.spec?.volumeName) {
    const bound = { ...annotations, [BOUND_BY_US]: 'yes' };
    const spec = { ...object.spec, volumeName: volume.metadata.name };
    return update(deps, claim, { ...object, metadata: { ...object.metadata, annotations: bound }, spec });
  }
  if (object.metadata.annotations?.[BIND_COMPLETED] !== 'yes')
    return update(deps, claim, { ...object, metadata: { ...object.metadata, annotations } });
  const { accessModes, capacity } = volume.spec;
  return setPhase(deps, claim, { phase: 'Bound', accessModes, capacity });
}

/** Available, Bound to its claim, or Released when the claim is gone; then the reclaim policy decides. */
async function settleVolume(deps: ControlDeps, volume: Loaded): Promise<boolean> {
  const { object } = volume;
  const reference: ClaimReference | undefined = object.spec?.claimRef;
  if (!reference?.uid) return object.status?.phase === 'Available' || setPhase(deps, volume, { phase: 'Available' });
  const { namespace = '', name = '' } = reference;
  const claim = await deps.reader.get({ scope: CLAIMS, namespace, name });
  const isClaimed = claim?.stored.uid === reference.uid;
  if (isClaimed) return setPhase(deps, volume, { phase: 'Bound' });
  if (
    object.metadata.deletionTimestamp === undefined &&
    object.spec.persistentVolumeReclaimPolicy === 'Delete' &&
    isProvisioned(object)
  )
    return remove(deps, volume);
  return setPhase(deps, volume, { phase: 'Released' });
}

/** Only what a driver made may be taken away with its claim. */
function isProvisioned({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined;
}

function setPhase(deps: ControlDeps, loaded: Loaded, status: Record<string, unknown>): Promise<boolean> {
  const { object } = loaded;
  const isVolume = object.kind === 'PersistentVolume';
  const moved = isVolume && object.status?.phase !== status.phase;
  const time = moved ? { lastPhaseTransitionTime: formatTime(deps.clock.now()) } : {};
  return update(deps, loaded, { ...object, status: { ...object.status, ...status, ...time } }, 'status');
}
