/** Plays the Deployment controller: one ReplicaSet per pod template, rolled from old to new, with revisions and conditions. */
import { canonicalJson } from '../../../shared/machinery/canonical.ts';
import { deepEqual } from '../../../shared/machinery/equality.ts';
import { fnv1a_32 } from '../../../shared/machinery/fnv.ts';
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';
import { controllerUid } from './cache.ts';
import { type ControllerContext, controllerReference, tolerateRace, writeStatus } from './context.ts';
import { deploymentConditions } from './deployment-status.ts';
import { compareText, createdAt, nameOf } from './pods.ts';
import { selectsPod } from './replica-set.ts';
import { resolveLimits, rollingStep, type Size } from './rolling.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const TEMPLATE_HASH = 'pod-template-hash';
/** Annotations of a Deployment that its ReplicaSets do not get. */
const NOT_COPIED = new Set(['kubectl.kubernetes.io/last-applied-configuration', REVISION, DESIRED, MAX_REPLICAS]);
/** Letters and digits that spell no words; a character stands at its code modulo their number (k8s.io/apimachinery/pkg/util/rand). */
const HASH_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Ten characters that depend on the template alone (and on the collision count). */
export function templateHash(template: unknown, collisions: number): string {
  const hash = fnv1a_32(`${canonicalJson(template as never)}#${collisions}`);
  return [...String(hash).padStart(10, '0')].map((digit) => HASH_ALPHABET[digit.charCodeAt(0) % HASH_ALPHABET.length]).join('');
}

/** The ReplicaSet whose template is the Deployment's, and the others, oldest first. */
export function splitReplicaSets(
  deployment: KubeObject,
  replicaSets: readonly KubeObject[],
): { fresh: KubeObject | undefined; olds: KubeObject[] } {
  const sorted = [...replicaSets].sort((a, b) => createdAt(a) - createdAt(b) || compareText(nameOf(a), nameOf(b)));
  const fresh = sorted.find((replicaSet) => deepEqual(withoutHash(replicaSet.spec.template), deployment.spec.template));
  return { fresh, olds: sorted.filter((replicaSet) => replicaSet !== fresh) };
}

function withoutHash(template: KubeObject): unknown {
  const { [TEMPLATE_HASH]: _hash, ...labels } = (template.metadata?.labels ?? {}) as Record<string, string>;
  return { ...template, metadata: { ...template.metadata, labels } };
}

const sizeOf = (replicaSet: KubeObject): Size => ({
  spec: (replicaSet.spec.replicas as number) ?? 0,
  current: (replicaSet.status?.replicas as number) ?? 0,
  available: (replicaSet.status?.availableReplicas as number) ?? 0,
});

/** Sizes that the ReplicaSets are to have now: the new one's and the olds', in their order. */
export function planSizes(
  deployment: KubeObject,
  fresh: KubeObject | undefined,
  olds: readonly KubeObject[],
): { newReplicas: number; oldReplicas: number[] } {
  const replicas = deployment.spec.replicas as number;
  const freshSize = fresh ? sizeOf(fresh) : { spec: 0, current: 0, available: 0 };
  const oldSizes = olds.map(sizeOf);
  if (deployment.spec.strategy?.type === 'Recreate') {
    const gone = oldSizes.every((size) => size.current === 0);
    return { newReplicas: gone ? replicas : freshSize.spec, oldReplicas: oldSizes.map(() => 0) };
  }
  const { maxSurge = '25%', maxUnavailable = '25%' } = (deployment.spec.strategy?.rollingUpdate ?? {}) as Record<
    string,
    string | number
  >;
  return rollingStep(replicas, resolveLimits(replicas, maxSurge, maxUnavailable), freshSize, oldSizes);
}

export async function reconcileDeployment(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const deployment = context.cache.get('deployments', namespace, name);
  if (!deployment || deployment.metadata.deletionTimestamp) return;
  await adopt(context, deployment);
  const owned = context.cache.controlledBy('replicasets', deployment.metadata.uid ?? '');
  const { fresh, olds } = splitReplicaSets(deployment, owned);
  const paused = deployment.spec.paused === true;
  const revision = String(1n + largest(olds.map(revisionOf)));
  if (!paused || fresh) {
    const sizes = paused
      ? { newReplicas: deployment.spec.replicas as number, oldReplicas: olds.map((old) => sizeOf(old).spec) }
      : planSizes(deployment, fresh, olds);
    for (const [i, old] of olds.entries()) await resize(context, old, sizes.oldReplicas[i] ?? 0, {});
    if (fresh) await resize(context, fresh, sizes.newReplicas, replicaSetAnnotations(deployment, fresh, revision));
    else await createReplicaSet(context, deployment, sizes.newReplicas, revision);
    await cleanUp(context, deployment, olds);
    await noteRevision(context, deployment, fresh ? String(largest([revisionOf(fresh), BigInt(revision)])) : revision);
  }
  await context.cache.refresh();
  await updateStatus(context, namespace, name);
}

/** Takes over the ReplicaSets that nobody controls and its selector means. */
async function adopt(context: ControllerContext, deployment: KubeObject): Promise<void> {
  const strangers = context.cache
    .inNamespace('replicasets', deployment.metadata.namespace ?? '')
    .filter((each) => !controllerUid(each) && !each.metadata.deletionTimestamp && selectsPod(deployment, each.metadata.labels));
  for (const stranger of strangers) {
    const ownerReferences = [...(stranger.metadata.ownerReferences ?? []), controllerReference(deployment)];
    const next = { ...stranger, metadata: { ...stranger.metadata, ownerReferences } };
    await tolerateRace(context.api.update(context.kinds('replicasets'), next, { fieldManager: 'kube-controller-manager' }));
  }
  if (strangers.length > 0) await context.cache.refresh();
}

/** An int64: ReplicaSets that were adopted may have counted far. */
function revisionOf(replicaSet: KubeObject): bigint {
  const text = replicaSet.metadata.annotations?.[REVISION] ?? '';
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

function largest(revisions: readonly bigint[]): bigint {
  return revisions.reduce((max, revision) => (revision > max ? revision : max), 0n);
}

function replicaSetAnnotations(deployment: KubeObject, fresh: KubeObject | undefined, revision: string): Record<string, string> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key));
  const replicas = deployment.spec.replicas as number;
  const { surge } = resolveLimits(replicas, deployment.spec.strategy?.rollingUpdate?.maxSurge ?? 0, 0);
  const latest = largest([BigInt(revision), ...(fresh ? [revisionOf(fresh)] : [])]);
  return {
    ...Object.fromEntries(copied),
    [REVISION]: String(latest),
    [DESIRED]: String(replicas),
    [MAX_REPLICAS]: String(replicas + surge),
  };
}

async function resize(
  context: ControllerContext,
  replicaSet: KubeObject,
  replicas: number,
  annotations: Record<string, string>,
): Promise<void> {
  const wanted = { ...replicaSet.metadata.annotations, ...annotations };
  if (replicaSet.spec.replicas === replicas && deepEqual(wanted, replicaSet.metadata.annotations ?? {})) return;
  const next = {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations: wanted },
    spec: { ...replicaSet.spec, replicas },
  };
  await tolerateRace(context.api.update(context.kinds('replicasets'), next, { fieldManager: 'kube-controller-manager' }));
}

async function createReplicaSet(
  context: ControllerContext,
  deployment: KubeObject,
  replicas: number,
  revision: string,
): Promise<void> {
  const hash = templateHash(deployment.spec.template, deployment.status?.collisionCount ?? 0);
  const template = structuredClone(deployment.spec.template) as KubeObject;
  const labels = { ...(template.metadata?.labels ?? {}), [TEMPLATE_HASH]: hash };
  const selector = {
    ...deployment.spec.selector,
    matchLabels: { ...deployment.spec.selector?.matchLabels, [TEMPLATE_HASH]: hash },
  };
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${nameOf(deployment)}-${hash}`,
      namespace: deployment.metadata.namespace ?? '',
      labels,
      annotations: replicaSetAnnotations(deployment, undefined, revision),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      selector,
      ...(deployment.spec.minReadySeconds ? { minReadySeconds: deployment.spec.minReadySeconds } : {}),
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  await tolerateRace(context.api.create(context.kinds('replicasets'), object, { fieldManager: 'kube-controller-manager' }));
}

async function cleanUp(context: ControllerContext, deployment: KubeObject, olds: readonly KubeObject[]): Promise<void> {
  const limit = (deployment.spec.revisionHistoryLimit as number | undefined) ?? 10;
  const empty = olds.filter(
    (old) => old.spec.replicas === 0 && (old.status?.replicas ?? 0) === 0 && !old.metadata.deletionTimestamp,
  );
  const surplus = [...empty].sort((a, b) => Number(revisionOf(a) - revisionOf(b))).slice(0, Math.max(0, empty.length - limit));
  for (const old of surplus)
    await tolerateRace(
      context.api.delete(context.kinds('replicasets'), old.metadata.namespace ?? '', nameOf(old), {
        propagationPolicy: 'Background',
      }),
    );
}

async function noteRevision(context: ControllerContext, deployment: KubeObject, revision: string): Promise<void> {
  if (deployment.metadata.annotations?.[REVISION] === revision) return;
  const body = JSON.stringify({ metadata: { annotations: { [REVISION]: revision } } });
  const { namespace = '', name = '' } = deployment.metadata;
  await tolerateRace(
    context.api.patch(
      context.kinds('deployments'),
      namespace,
      name,
      { contentType: 'application/merge-patch+json', body },
      { fieldManager: 'kube-controller-manager' },
    ),
  );
}

async function updateStatus(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const deployment = context.cache.get('deployments', namespace, name);
  if (!deployment) return;
  const owned = context.cache.controlledBy('replicasets', deployment.metadata.uid ?? '');
  const { fresh, olds } = splitReplicaSets(deployment, owned);
  const total = (field: string, of: readonly KubeObject[]) =>
    of.reduce((sum, replicaSet) => sum + ((replicaSet.status?.[field] as number) ?? 0), 0);
  const all = fresh ? [...olds, fresh] : olds;
  const counts = {
    replicas: total('replicas', all),
    updatedReplicas: fresh ? total('replicas', [fresh]) : 0,
    readyReplicas: total('readyReplicas', all),
    availableReplicas: total('availableReplicas', all),
    // Upstream: what the ReplicaSets are to have, less what is available.
    unavailableReplicas: Math.max(
      0,
      all.reduce((sum, replicaSet) => sum + ((replicaSet.spec.replicas as number) ?? 0), 0) - total('availableReplicas', all),
    ),
  };
  const { conditions, wakeAt } = deploymentConditions(deployment, fresh, counts, context.clock.now());
  const kept = Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0));
  await writeStatus(context, 'deployments', deployment, {
    ...(deployment.status?.collisionCount ? { collisionCount: deployment.status.collisionCount } : {}),
    observedGeneration: deployment.metadata.generation ?? 0,
    ...kept,
    conditions: conditions as Condition[],
  });
  if (wakeAt !== undefined) context.wakeAt(`deployments/${namespace}/${name}`, wakeAt);
}
