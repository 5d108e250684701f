/** Takes the protection of claims, volumes and attribute classes away once nothing uses them (pkg/controller/volume/{pvc,pv}protection). */
import { fromStored, type ObjectRef } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { listStored } from '../../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { update } from './write.ts';

const CLAIMS = '/persistentvolumeclaims';
const VOLUMES = '/persistentvolumes';

type Protected = { finalizer: string; isUsed(deps: ControlDeps, object: KubeObject): Promise<boolean> };

const PROTECTED: ReadonlyMap<string, Protected> = new Map([
  [CLAIMS, { finalizer: 'kubernetes.io/pvc-protection', isUsed: isMounted }],
  [VOLUMES, { finalizer: 'kubernetes.io/pv-protection', isUsed: async (_deps, { status }) => status?.phase === 'Bound' }],
  ['storage.k8s.io/volumeattributesclasses', { finalizer: 'kubernetes.io/vac-protection', isUsed: isNamedByClaim }],
]);

/** `object` is the claim, the volume or the class. */
export async function reconcileProtection(deps: ControlDeps, ref: ObjectRef): Promise<ReconcileResult> {
  const rule = PROTECTED.get(ref.scope);
  const loaded = rule && (await deps.reader.get(ref));
  if (!rule || !loaded || loaded.object.metadata.deletionTimestamp === undefined) return done('not being deleted');
  const finalizers = loaded.object.metadata.finalizers ?? [];
  if (!finalizers.includes(rule.finalizer)) return done('not protected');
  if (await rule.isUsed(deps, loaded.object)) return done('still in use: what uses it will wake this');
  const metadata = { ...loaded.object.metadata, finalizers: finalizers.filter((each) => each !== rule.finalizer) };
  const isWritten = await update(deps, loaded, { ...loaded.object, metadata });
  return isWritten ? done('released') : requeueAfter(WRITE_RETRY_MS, 'changed meanwhile');
}

/** A pod that has a node, or will have one, and has not ended. */
async function isMounted(deps: ControlDeps, { metadata }: KubeObject): Promise<boolean> {
  for await (const stored of listStored(deps.objects, '/pods', metadata.namespace ?? '')) {
    if (!stored.body.includes(`"${metadata.name}"`)) continue;
    const pod = fromStored(stored);
    const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed' || !pod.spec?.nodeName;
    if (!isOver && claimNames(pod).includes(metadata.name ?? '')) return true;
  }
  return false;
}

/** Claims that a pod mounts; those of generic ephemeral volumes bear the pod's name and the volume's. */
function claimNames({ metadata, spec }: KubeObject): string[] {
  type Volume = { name: string; persistentVolumeClaim?: { claimName?: string }; ephemeral?: unknown };
  return ((spec?.volumes ?? []) as Volume[]).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (ephemeral) return [`${metadata.name}-${name}`];
    return persistentVolumeClaim?.claimName ? [persistentVolumeClaim.claimName] : [];
  });
}

async function isNamedByClaim(deps: ControlDeps, { metadata }: KubeObject): Promise<boolean> {
  for await (const stored of listStored(deps.objects, CLAIMS)) {
    if (!stored.body.includes(`"${metadata.name}"`)) continue;
    const { spec, status } = fromStored(stored);
    if (spec?.volumeAttributesClassName === metadata.name || status?.currentVolumeAttributesClassName === metadata.name)
      return true;
  }
  return false;
}
