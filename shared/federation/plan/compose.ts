/** Puts the parts together: the complete FederatedObject, and whether anything that is sent has changed. */
import { stringifyJson } from '../../machinery/codec/json.ts';
import { formatGoDuration, parseGoDuration } from '../../machinery/duration.ts';
import { deepEqual } from '../../machinery/equality.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../machinery/object.ts';
import { DECISION_ANNOTATION, OVERRIDE_CONTROLLER, SCHEDULER_CONTROLLER } from '../keys.ts';
import { federatedObjectName } from '../naming.ts';
import { APPLIED_MIGRATION_CONFIGURATION } from '../scheduling/migration.ts';
import type { ClusterOverride, LeaderPlacement, Placement } from '../snapshot.ts';
import { type FederatedSpec, type OverrideEntry, type PlacementEntry, replicasPointer } from './current.ts';
import { SCHEDULING } from './feedback.ts';
import {
  DEFERRED_REASONS,
  ENABLE_FOLLOWER_SCHEDULING,
  FOLLOWER_CONTROLLER,
  MOVED_ANNOTATIONS,
  NAMESPACE_CONTROLLER,
  POD_UNSCHEDULABLE_THRESHOLD,
} from './keys.ts';
import { PENDING_CONTROLLERS } from './pending.ts';
import type { Placed } from './placed.ts';
import type { Subject } from './subject.ts';

const OURS: ReadonlySet<string> = new Set([SCHEDULER_CONTROLLER, OVERRIDE_CONTROLLER, FOLLOWER_CONTROLLER, NAMESPACE_CONTROLLER]);
/** Annotations of the federated object that change what is sent, or how. */
const DISPATCH_ANNOTATIONS: readonly string[] = [
  'kubeadmiral.io/retain-replicas',
  'kubeadmiral.io/conflict-resolution',
  'kubeadmiral.io/clusters-to-adopt',
  'internal.kubeadmiral.io/conflict-resolution',
  'internal.kubeadmiral.io/clusters-to-adopt',
  'kubeadmiral.io/dry-run',
];
/** What Namespaces get: they exist on members already, and must not be deleted there. */
const NAMESPACE_ANNOTATIONS: Readonly<Record<string, string>> = {
  'internal.kubeadmiral.io/conflict-resolution': 'adopt',
  'internal.kubeadmiral.io/clusters-to-adopt': '{"regexp":".*"}',
  'internal.kubeadmiral.io/orphan': 'adopted',
};

/** The parts of a federated object. `overrides` come from override policies. */
export type Parts = {
  subject: Subject;
  placed: Placed;
  overrides: readonly ClusterOverride[];
  leaders: readonly LeaderPlacement[];
};

/** `spec` of the FederatedObject. Entries of controllers that are not ours stay as they are. */
export function federatedSpec({ subject, placed, overrides, leaders }: Parts): FederatedSpec {
  const old = (subject.snapshot.federated?.spec ?? {}) as Partial<FederatedSpec>;
  const placements: PlacementEntry[] = [];
  const clusters = placed.placements.map(({ cluster }) => ({ cluster }));
  if (clusters.length > 0) placements.push({ controller: subject.controller, placement: clusters });
  const followed = followedClusters(leaders);
  if (followed.length > 0)
    placements.push({ controller: FOLLOWER_CONTROLLER, placement: followed.map((cluster) => ({ cluster })) });
  placements.push(...(old.placements ?? []).filter(({ controller }) => !OURS.has(controller)));
  const entries: OverrideEntry[] = [];
  const replicas = replicaOverrides(placed.placements, subject.replicasPath);
  if (replicas.length > 0) entries.push({ controller: SCHEDULER_CONTROLLER, clusters: replicas });
  if (overrides.length > 0) entries.push({ controller: OVERRIDE_CONTROLLER, clusters: [...overrides] });
  entries.push(...(old.overrides ?? []).filter(({ controller }) => !OURS.has(controller)));
  return {
    template: subject.split.template,
    ...(placements.length > 0 ? { placements } : {}),
    ...(entries.length > 0 ? { overrides: entries } : {}),
    ...(leaders.length > 0 ? { follows: leaders.map(({ ref }) => ref).sort(byText) } : {}),
  };
}

/** Clusters of all leaders, by name. */
export function followedClusters(leaders: readonly LeaderPlacement[]): string[] {
  return [...new Set(leaders.flatMap(({ clusters }) => clusters))].sort();
}

/** The FederatedObject around a spec: what another plan or a foreign controller wrote beside ours is kept. */
export function federatedObject({ subject, placed }: Parts, spec: FederatedSpec): KubeObject {
  const { source, type, typeConfig, federated: old } = subject.snapshot;
  const { name = '', namespace } = source.metadata;
  const metadata: ObjectMeta = {
    name: federatedObjectName(name, typeConfig.metadata.name ?? ''),
    ...(namespace ? { namespace } : {}),
    labels: { ...subject.split.labels, ...policyLabel(subject) },
    annotations: annotationsOf(subject, placed, spec),
    ownerReferences: [ownerOf(source)],
    ...(old?.metadata.finalizers ? { finalizers: old.metadata.finalizers } : {}),
  };
  const kind = type.scope === 'Namespaced' ? 'FederatedObject' : 'ClusterFederatedObject';
  return { apiVersion: 'core.kubeadmiral.io/v1alpha1', kind, metadata, spec };
}

/** True when a cluster would get something else than before: template, placement, overrides, or an annotation that steers sending. */
export function isSentChanged(old: KubeObject | undefined, now: KubeObject): boolean {
  if (!old || old.metadata.annotations?.[PENDING_CONTROLLERS] !== undefined) return true;
  for (const part of ['template', 'placements', 'overrides']) if (!deepEqual(old.spec?.[part], now.spec?.[part])) return true;
  return DISPATCH_ANNOTATIONS.some((key) => old.metadata.annotations?.[key] !== now.metadata.annotations?.[key]);
}

/** Number of the decision that the FederatedObject and its decision carry; 0 before the first. */
export function lastDecision({ snapshot, previous }: Subject): number {
  const carried = Number(snapshot.federated?.metadata.annotations?.[DECISION_ANNOTATION] ?? 0);
  return Math.max(Number.isSafeInteger(carried) ? carried : 0, previous?.decision ?? 0);
}

function ownerOf({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '', controller: true, blockOwnerDeletion: true };
}

/** The label of the policy in effect, also where the Namespace names it: whoever looks for a policy's objects finds them. */
function policyLabel({ snapshot }: Subject): Record<string, string> {
  const { policy } = snapshot;
  if (!policy) return {};
  const key = policy.kind === 'PropagationPolicy' ? 'propagation-policy-name' : 'cluster-propagation-policy-name';
  return { [`kubeadmiral.io/${key}`]: policy.name };
}

function replicaOverrides(placements: readonly Placement[], replicasPath: string | undefined): ClusterOverride[] {
  if (!replicasPath) return [];
  const path = replicasPointer(replicasPath);
  const overrides: ClusterOverride[] = [];
  for (const { cluster, replicas } of placements)
    if (replicas !== null) overrides.push({ cluster, patches: [{ op: 'replace', path, value: replicas }] });
  return overrides;
}

function annotationsOf(subject: Subject, placed: Placed, spec: FederatedSpec): Record<string, string> {
  const { snapshot, split, migration, controller } = subject;
  const old = snapshot.federated?.metadata.annotations ?? {};
  const annotations: Record<string, string> = {};
  for (const [key, value] of Object.entries(old)) if (!MOVED_ANNOTATIONS.has(key)) annotations[key] = value;
  Object.assign(annotations, split.moved, split.bookkeeping, controller === NAMESPACE_CONTROLLER ? NAMESPACE_ANNOTATIONS : {});
  set(annotations, PENDING_CONTROLLERS, undefined);
  set(annotations, APPLIED_MIGRATION_CONFIGURATION, migration);
  set(annotations, DEFERRED_REASONS, placed.details.deferred);
  if (placed.policy) {
    set(annotations, ENABLE_FOLLOWER_SCHEDULING, String(placed.policy.disableFollowerScheduling !== true));
    set(annotations, POD_UNSCHEDULABLE_THRESHOLD, threshold(placed.policy.autoMigration?.when?.podUnschedulableFor));
  }
  if (controller === SCHEDULER_CONTROLLER) set(annotations, SCHEDULING, schedulingText(subject, placed, spec));
  return annotations;
}

function set(annotations: Record<string, string>, key: string, value: string | undefined): void {
  if (value === undefined) delete annotations[key];
  else annotations[key] = value;
}

function threshold(duration: string | undefined): string | undefined {
  if (duration === undefined) return undefined;
  try {
    return formatGoDuration(parseGoDuration(duration));
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** `kubeadmiral.io/scheduling` is written anew only when placement or overrides change; the generations in it are those of that moment. */
function schedulingText({ snapshot }: Subject, { placements }: Placed, spec: FederatedSpec): string | undefined {
  const { source, federated } = snapshot;
  const before = federated?.metadata.annotations?.[SCHEDULING];
  const same =
    federated !== undefined &&
    deepEqual(federated.spec?.placements, spec.placements) &&
    deepEqual(federated.spec?.overrides, spec.overrides);
  if (same || (placements.length === 0 && before === undefined)) return before;
  return stringifyJson({
    sourceGeneration: source.metadata.generation ?? 0,
    fedGeneration: federated?.metadata.generation ?? 1,
    placement: Object.fromEntries(placements.map(({ cluster, replicas }) => [cluster, replicas])),
  });
}

function byText(a: object, b: object): number {
  const [left, right] = [Object.values(a).join('/'), Object.values(b).join('/')];
  return left < right ? -1 : left > right ? 1 : 0;
}
