/**
 * ReplicaSets of a Deployment on the source side. No controller runs there, but clients look for them: `helm --wait` and Argo CD find the newest
 * by its template, `kubectl rollout history` reads their revisions. They are never sent to members (plan/scope.ts).
 */
import { canonicalJson } from '../../machinery/canonical.ts';
import { cloneJson, deepEqual } from '../../machinery/equality.ts';
import { fnv1a_32 } from '../../machinery/fnv.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { limited } from '../naming.ts';
import { SCHEDULING } from '../plan/feedback.ts';
import { readCount } from './context.ts';

const HASH_LABEL = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';
/**
 * What a ReplicaSet does not take over from its Deployment: what Kubernetes keeps apart, and our feedback. Everything else goes along, because
 * `kubectl rollout undo` writes the annotations of the ReplicaSet back onto the Deployment, and drops those that it does not have.
 */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
  SCHEDULING,
]);
const HISTORY_LIMIT_DEFAULT = 10;
const NAME_LENGTH_MAX = 253;
/** Letters and digits that spell no words (k8s.io/apimachinery/pkg/util/rand). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

type Counts = { replicas: number; readyReplicas: number; availableReplicas: number };

type Input = {
  source: KubeObject;
  /** The ReplicaSets that are stored for this source, in any order. */
  previous: readonly KubeObject[];
  /** The source's aggregated status. */
  aggregated: JsonObject;
};

/**
 * All ReplicaSets that the source is to have, the newest first: those of `previous` that are missing are to be deleted, those that are equal
 * need no write. Older ones that have no replicas are kept up to `revisionHistoryLimit`.
 */
export function sourceReplicaSets({ source, previous, aggregated }: Input): KubeObject[] {
  const hash = templateHash(source);
  const byRevision = previous.toSorted((a, b) => revisionOf(b) - revisionOf(a));
  const present = byRevision.find((set) => set.metadata.labels?.[HASH_LABEL] === hash);
  const older = byRevision.filter((set) => set !== present);
  const last = revisionOf(byRevision[0]);
  // A template that comes back is the newest again, under a new number.
  const revision = present && revisionOf(present) === last ? last : last + 1;
  const { fresh, old } = splitCounts(source, aggregated);
  const newest = newestSet({ source, present, hash, revision, counts: fresh });
  const [carrier, ...rest] = older;
  const scaled = [...(carrier ? [withCounts(carrier, old)] : []), ...rest.map((set) => withCounts(set, NONE))];
  const limit = historyLimit(source);
  const running = scaled.filter((set) => readCount(set.spec?.replicas) > 0);
  const idle = scaled.filter((set) => readCount(set.spec?.replicas) === 0).slice(0, limit);
  return [newest, ...scaled.filter((set) => running.includes(set) || idle.includes(set))];
}

/** Our own hash of the pod template, in the letters that Kubernetes uses. */
export function templateHash(source: KubeObject): string {
  const digits = String(fnv1a_32(canonicalJson(source.spec?.template ?? {})));
  return [...digits].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

const NONE: Counts = { replicas: 0, readyReplicas: 0, availableReplicas: 0 };

/**
 * Which of the replicas run the new template. Members count ready ones over both: the old ones are taken to be ready first, so that
 * the new ReplicaSet never claims what may not be so. Until the generation is observed everywhere nothing runs the new template.
 */
function splitCounts(source: KubeObject, aggregated: JsonObject): { fresh: Counts; old: Counts } {
  const total = readCount(aggregated.replicas);
  const isObserved = readCount(aggregated.observedGeneration) >= (source.metadata.generation ?? 0);
  const updated = isObserved ? Math.min(readCount(aggregated.updatedReplicas), total) : 0;
  const stale = total - updated;
  const split = (count: number): { old: number; fresh: number } => ({
    old: Math.min(stale, count),
    fresh: Math.max(0, count - stale),
  });
  const ready = split(readCount(aggregated.readyReplicas));
  const available = split(readCount(aggregated.availableReplicas));
  return {
    fresh: { replicas: updated, readyReplicas: ready.fresh, availableReplicas: available.fresh },
    old: { replicas: stale, readyReplicas: ready.old, availableReplicas: available.old },
  };
}

type Newest = { source: KubeObject; present: KubeObject | undefined; hash: string; revision: number; counts: Counts };

function newestSet({ source, present, hash, revision, counts }: Newest): KubeObject {
  const { name = '', namespace, uid = '' } = source.metadata;
  const template = cloneJson((source.spec?.template ?? {}) as JsonObject);
  const templateMeta = (template.metadata ?? {}) as JsonObject;
  const labels = { ...((templateMeta.labels ?? {}) as Record<string, string>), [HASH_LABEL]: hash };
  const selector = (source.spec?.selector ?? {}) as JsonObject;
  const inherited = Object.entries(source.metadata.annotations ?? {}).filter(([key]) => !OWN_ANNOTATIONS.has(key));
  const set: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      ...present?.metadata,
      name: present?.metadata.name ?? limited(`${name}-${hash}`, NAME_LENGTH_MAX),
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: { ...Object.fromEntries(inherited), [REVISION]: String(revision) },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      ...(source.spec?.minReadySeconds ? { minReadySeconds: source.spec.minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...((selector.matchLabels ?? {}) as JsonObject), [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...templateMeta, labels } },
    },
  };
  return numbered(set, present, counts, typeof source.spec?.replicas === 'number' ? source.spec.replicas : 1);
}

/** The set with its numbers; the very same set when they are there already. Changing the spec will raise its generation by one. */
function withCounts(set: KubeObject, counts: Counts): KubeObject {
  return numbered(set, set, counts, counts.replicas);
}

/** `before` is what is stored: undefined for a new one. */
function numbered(set: KubeObject, before: KubeObject | undefined, counts: Counts, wanted: number): KubeObject {
  const { replicas, readyReplicas, availableReplicas } = counts;
  const spec = { replicas: wanted, ...without(set.spec, 'replicas') };
  const isSameSpec = before !== undefined && deepEqual(before.spec, spec);
  const generation = before?.metadata.generation ?? 0;
  const status = {
    replicas,
    ...(replicas > 0 ? { fullyLabeledReplicas: replicas } : {}),
    ...(readyReplicas > 0 ? { readyReplicas } : {}),
    ...(availableReplicas > 0 ? { availableReplicas } : {}),
    observedGeneration: isSameSpec ? generation : generation + 1,
  };
  if (isSameSpec && set === before && deepEqual(before.status, status)) return before;
  const made = { ...set, spec, status };
  return before && deepEqual(before, made) ? before : made;
}

function without(spec: unknown, key: string): JsonObject {
  const { [key]: _dropped, ...rest } = (spec ?? {}) as JsonObject;
  return rest;
}

function revisionOf(set: KubeObject | undefined): number {
  const revision = Number(set?.metadata.annotations?.[REVISION] ?? 0);
  return Number.isSafeInteger(revision) ? revision : 0;
}

function historyLimit(source: KubeObject): number {
  const limit: unknown = source.spec?.revisionHistoryLimit;
  return typeof limit === 'number' ? limit : HISTORY_LIMIT_DEFAULT;
}
