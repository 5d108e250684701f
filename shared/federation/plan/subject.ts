/** What the steps of a plan share: the source as it was split, and what is known of its present placement. */
import { getPath } from '../../machinery/paths.ts';
import { SCHEDULER_CONTROLLER } from '../keys.ts';
import type { DecisionSpec } from '../scheduling/decision.ts';
import { APPLIED_MIGRATION_CONFIGURATION, appliedMigrationText, MIGRATION_CONFIGURATION } from '../scheduling/migration.ts';
import { podRequest } from '../scheduling/resources.ts';
import type { PlanSnapshot, ResourceAmounts } from '../snapshot.ts';
import { placedBy, scheduledReplicas } from './current.ts';
import { type Federated, federate } from './federate.ts';
import { NAMESPACE_CONTROLLER } from './keys.ts';
import type { Pipeline } from './pending.ts';

/** `current`: the scheduler's placement on clusters that still exist. `replicas`: what the template asks for. */
export type Subject = {
  snapshot: PlanSnapshot;
  split: Federated;
  previous: DecisionSpec | undefined;
  pipeline: Pipeline;
  /** The controller whose placement this plan makes. */
  controller: string;
  replicasPath: string | undefined;
  replicas: number | undefined;
  request: ResourceAmounts;
  current: ReadonlyMap<string, number | null>;
  /** Text of the applied migration configuration; undefined: none. */
  migration: string | undefined;
  /** For people. */
  notes: readonly string[];
};

/** Reads a snapshot. */
export function subjectOf(snapshot: PlanSnapshot): Subject {
  const { source, typeConfig, federated, clusters } = snapshot;
  const split = federate(source);
  const pipeline = (typeConfig.spec?.controllers ?? []) as Pipeline;
  const replicasPath = (typeConfig.spec?.pathDefinition?.replicasSpec ?? undefined) as string | undefined;
  const replicas = replicasPath ? getPath(split.template, replicasPath) : undefined;
  const controller = pipeline.some((group) => group.includes(NAMESPACE_CONTROLLER)) ? NAMESPACE_CONTROLLER : SCHEDULER_CONTROLLER;
  const placed =
    controller === SCHEDULER_CONTROLLER
      ? scheduledReplicas(federated, replicasPath)
      : new Map(placedBy(federated, controller).map((cluster) => [cluster, null]));
  return {
    snapshot,
    split,
    previous: snapshot.previous?.spec as DecisionSpec | undefined,
    pipeline,
    controller,
    replicasPath,
    replicas: typeof replicas === 'number' ? replicas : undefined,
    request: podRequest(split.template),
    current: existing(placed, clusters),
    ...migrationOf(snapshot, split, replicasPath ?? ''),
  };
}

/** Clusters that were deleted take their placements with them. */
function existing(placed: Map<string, number | null>, clusters: PlanSnapshot['clusters']): Map<string, number | null> {
  if (placed.size === 0) return placed;
  const gone = new Set(placed.keys());
  for (const { name } of clusters) gone.delete(name);
  for (const cluster of gone) placed.delete(cluster);
  return placed;
}

/** A configuration that cannot be read leaves the applied one as it was. */
function migrationOf(
  { federated }: PlanSnapshot,
  { moved, template }: Federated,
  replicasPath: string,
): Pick<Subject, 'migration' | 'notes'> {
  const asked = moved[MIGRATION_CONFIGURATION];
  if (asked === undefined) return { migration: undefined, notes: [] };
  const applied = appliedMigrationText(asked, template, replicasPath);
  if (applied.type === 'ok') return { migration: applied.text, notes: [] };
  const before = federated?.metadata.annotations?.[APPLIED_MIGRATION_CONFIGURATION];
  return { migration: before, notes: [`annotation ${MIGRATION_CONFIGURATION} is passed over: ${applied.message}`] };
}
