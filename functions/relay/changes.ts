/**
 * From changed keys to work. At least once, in any order: every worker re-reads. What a worker wrote itself is passed over where that
 * worker has already sent what follows.
 */
import { SYSTEM_NAMESPACE } from '../../shared/federation/keys.ts';
import { type FederatedTypes, SCOPES } from '../../shared/federation/type-config.ts';
import type { FeedEntry } from '../../shared/ports/object-store.ts';
import { CONTROLLER_WRITER } from '../../shared/runtime/control/router.ts';
import { refOf } from '../../shared/runtime/objects.ts';
import type { Outgoing } from '../../shared/runtime/send.ts';
import { type ClusterChange, clustersOfSecret, clusterWork } from './clusters.ts';
import type { RelayDeps } from './deps.ts';
import { objectsOfNamespace, objectsOfPolicy, objectsOfProfile, objectsOfType } from './fan-out.ts';

/** Writers whose changes of sources and FederatedObjects ask for no new placement: they placed it, or told how it fares. */
const PLACING_WRITERS = new Set(['scheduler', 'status']);

/** All writers that are workers: their objects' owners stood when they wrote. Everybody else is a user, or acts for one. */
const WORKERS = new Set([...PLACING_WRITERS, 'dispatcher', 'clusters', 'sweeper', CONTROLLER_WRITER]);

/** Scopes that only workers write and nobody acts on; deleting what they own is still garbage collection's. */
const SILENT_SCOPES = new Set<string>([
  SCOPES.events,
  SCOPES.decisions,
  SCOPES.clusterDecisions,
  SCOPES.collected,
  SCOPES.clusterCollected,
  SCOPES.versions,
  SCOPES.clusterVersions,
]);

const POLICY_SCOPES = new Set<string>([
  SCOPES.propagationPolicies,
  SCOPES.clusterPropagationPolicies,
  SCOPES.overridePolicies,
  SCOPES.clusterOverridePolicies,
]);

/** The work that follows from one log entry; a changed cluster's part for all objects is told, and left to the caller. */
export async function* workOf(
  deps: RelayDeps,
  types: FederatedTypes,
  entry: FeedEntry,
): AsyncGenerator<Outgoing | ClusterChange> {
  const cause = `${entry.scope}@${entry.resourceVersion}`;
  if (entry.scope === SCOPES.events) return;
  yield* garbage(deps, entry, cause);
  for (const target of await deps.control.targetsOf(entry)) yield { work: { type: 'control', ...target, attempt: 0 }, cause };
  if (SILENT_SCOPES.has(entry.scope)) return;
  if (entry.scope === SCOPES.clusters) return yield* clusterWork(deps, entry, cause);
  if (POLICY_SCOPES.has(entry.scope)) return yield* objectsOfPolicy(deps, types, entry, cause);
  if (entry.scope === SCOPES.profiles) return yield* objectsOfProfile(deps, types, entry, cause);
  if (entry.scope === SCOPES.typeConfigs) return yield* objectsOfType(deps, types, entry, cause);
  if (entry.scope === SCOPES.secrets && entry.namespace === SYSTEM_NAMESPACE) yield* clustersOfSecret(deps, entry, cause);
  // What a controller makes belongs to this cluster alone, and every member's controllers make their own.
  const isOurs = PLACING_WRITERS.has(entry.writer) || entry.writer === CONTROLLER_WRITER;
  if (isOurs && entry.type !== 'deleted') return;
  const isFederated = entry.scope === SCOPES.federated || entry.scope === SCOPES.clusterFederated;
  // The scheduler maps a FederatedObject to its source itself: the owner is in the object, not in the log entry.
  if (isFederated || types.byScope.has(entry.scope)) yield schedule(entry, cause);
  // A new namespace is still empty.
  if (entry.scope === SCOPES.namespaces && entry.type === 'modified') yield* objectsOfNamespace(deps, types, entry, cause);
}

function schedule(entry: FeedEntry, cause: string): Outgoing {
  return { work: { type: 'schedule', source: refOf(entry), attempt: 0 }, cause };
}

/** Garbage collection and namespaces: dependents of what is gone, finalizers `orphan` and `foregroundDeletion`, terminating namespaces. */
async function* garbage(deps: RelayDeps, entry: FeedEntry, cause: string): AsyncGenerator<Outgoing> {
  if (entry.type === 'deleted') {
    const dependents = await deps.index.dependents(entry.uid);
    if (dependents.length > 0) yield { work: { type: 'ownerGone', uid: entry.uid, attempt: 0 }, cause };
    return;
  }
  // Owners that were gone before the dependent came.
  if (!WORKERS.has(entry.writer))
    for (const uid of entry.ownerUids) yield { work: { type: 'ownerGone', uid, attempt: 0 }, cause };
  if (entry.type !== 'modified' || PLACING_WRITERS.has(entry.writer)) return;
  const stored = await deps.objects.get(entry);
  // The mark is looked for in the text: most changes are no deletions, and parsing them all would cost more than the rest of the relay.
  if (!stored?.body.includes('"deletionTimestamp"')) return;
  if (entry.scope === SCOPES.namespaces) yield { work: { type: 'namespace', name: entry.name, attempt: 0 }, cause };
  const waitsForUs = stored.body.includes('"foregroundDeletion"') || stored.body.includes('"orphan"');
  if (waitsForUs) yield { work: { type: 'deleting', object: refOf(entry), attempt: 0 }, cause };
}
