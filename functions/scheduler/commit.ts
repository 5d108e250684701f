/**
 * One store write per decision: FederatedObject, SchedulingDecision, the source's feedback and one Event, with the records of new placements
 * and followers. Everything or nothing, so that no choice is acted on that was not stored with its reasons.
 */
import type { ResourceDefinition } from '../../shared/apis/definition.ts';
import type { ObjectRef } from '../../shared/apis/stored.ts';
import { DECISION_ANNOTATION } from '../../shared/federation/keys.ts';
import { dispatchOwner } from '../../shared/federation/records.ts';
import type { Plan, PlanEvent } from '../../shared/federation/snapshot.ts';
import { companionScopes, followRefOf, SCOPES } from '../../shared/federation/type-config.ts';
import type { Condition, KubeObject, ObjectMeta } from '../../shared/machinery/object.ts';
import { formatTime } from '../../shared/machinery/time.ts';
import type { RecordWrite, StoreRecord, WriteOperation, WriteOutcome } from '../../shared/ports/object-store.ts';
import { eventOperation } from '../../shared/runtime/events.ts';
import { OPERATIONS_PER_WRITE_MAX } from '../../shared/runtime/limits.ts';
import type { Loaded } from '../../shared/runtime/objects.ts';
import { createOperation, updateOperation, writeAll } from '../../shared/runtime/operations.ts';
import type { SchedulerDeps } from './deps.ts';
import { pendingCreates } from './dispatches.ts';
import { type FollowerChange, followerChange } from './followers.ts';
import type { Taken } from './snapshot.ts';
import type { Subject } from './subject.ts';

export const SCHEDULER = 'scheduler';
/** Keeps a FederatedObject until its copies are gone. */
export const SYNC_FINALIZER = 'kubeadmiral.io/sync-controller';

type Planned = Extract<Plan, { type: 'planned' }>;

export type Committed =
  /** `federated` is what is stored now; `uid` its uid; `records` the dispatch records as they are now. */
  | {
      type: 'committed';
      changed: boolean;
      federated: KubeObject;
      uid: string;
      records: readonly StoreRecord[];
      followers: FollowerChange;
    }
  | Exclude<WriteOutcome, { type: 'committed' }>;

/** Stores a plan. Writes nothing when everything is as planned already. */
export async function commitPlan(
  deps: SchedulerDeps,
  subject: Subject,
  source: Loaded,
  taken: Taken,
  plan: Planned,
): Promise<Committed> {
  const now = deps.clock.now();
  const federated = federatedOperation(deps, subject, withSystemParts(plan, subject.federated?.object, now), now);
  const feedback = updateOperation(definition(deps, source.stored.scope), source, withFeedback(source.object, plan), {
    now,
    part: 'feedback',
  });
  const followers = await followerChange(deps.records, source.stored, followRefOf(subject.type, source.stored), plan.followers);
  const decision = decisionOperation(deps, subject.federatedRef, taken.decision, plan.decision, now);
  const created = pendingCreates(subject.federatedRef, federated.object, taken.records, now);
  const objects = [federated.operation, decision, feedback].filter((operation) => operation !== undefined);
  const [first, ...others] = await events(deps, source.object, plan.events, now);
  const operations = first && objects.length < OPERATIONS_PER_WRITE_MAX ? [...objects, first] : objects;
  const records = [...created, ...followers.records];
  const outcome = await write(deps, operations, records);
  if (outcome.type !== 'committed') return outcome;
  // Further events are told, not promised: the decision stands already.
  await writeAll(deps.objects, others, SCHEDULER);
  return {
    type: 'committed',
    changed: operations.length > 0,
    federated: federated.object,
    uid: federated.uid,
    records: created.length === 0 ? taken.records : await deps.records.ofOwner(dispatchOwner(subject.federatedRef)),
    followers,
  };
}

/** Stores a FederatedObject that waits for a foreign controller. */
export async function commitWaiting(deps: SchedulerDeps, subject: Subject, federated: KubeObject): Promise<WriteOutcome> {
  const now = deps.clock.now();
  const { operation } = federatedOperation(deps, subject, federated, now);
  return write(deps, operation ? [operation] : [], []);
}

/** Objects and records in one store write; nothing to write is committed. */
export async function write(deps: SchedulerDeps, operations: WriteOperation[], records: RecordWrite[]): Promise<WriteOutcome> {
  if (operations.length > 0) return deps.objects.write({ operations, records, writer: SCHEDULER });
  if (records.length > 0) {
    const { stale } = await deps.records.write(records);
    if (stale.length > 0) return { type: 'conflict', index: -1 };
  }
  return { type: 'committed', resourceVersions: [] };
}

type FederatedOperation = { operation: WriteOperation | undefined; object: KubeObject; uid: string };

function federatedOperation(deps: SchedulerDeps, subject: Subject, object: KubeObject, now: number): FederatedOperation {
  const kind = definition(deps, subject.federatedRef.scope);
  if (!subject.federated) {
    const uid = deps.ids.uid();
    return { operation: createOperation(kind, object, { now, uid, part: 'objectAndStatus' }), object, uid };
  }
  const operation = updateOperation(kind, subject.federated, object, { now, part: 'objectAndStatus' });
  return { operation, object, uid: subject.federated.stored.uid };
}

/** Adds what the plan leaves to the shell: our finalizer, the decision number, and the status that other workers keep with the Scheduled condition. */
function withSystemParts(plan: Planned, old: KubeObject | undefined, now: number): KubeObject {
  const { metadata } = plan.federated;
  const annotations = { ...metadata.annotations, [DECISION_ANNOTATION]: String(plan.decisionNumber) };
  const finalizers = [...new Set([...(old?.metadata.finalizers ?? metadata.finalizers ?? []), SYNC_FINALIZER])];
  const status = { ...old?.status, conditions: withScheduled(old?.status?.conditions ?? [], plan.scheduled, now) };
  return { ...plan.federated, metadata: { ...metadata, annotations, finalizers }, status };
}

function withScheduled(conditions: readonly Condition[], scheduled: Planned['scheduled'], now: number): Condition[] {
  const old = conditions.find((condition) => condition.type === 'Scheduled');
  if (old && old.status === scheduled.status && old.reason === scheduled.reason && old.message === scheduled.message)
    return [...conditions];
  const time = formatTime(now);
  const lastTransitionTime = old?.status === scheduled.status ? (old.lastTransitionTime ?? time) : time;
  const next: Condition = { type: 'Scheduled', ...scheduled, lastUpdateTime: time, lastTransitionTime };
  return [...conditions.filter((condition) => condition.type !== 'Scheduled'), next];
}

function withFeedback(source: KubeObject, { feedback }: Planned): KubeObject {
  const annotations: Record<string, string> = { ...source.metadata.annotations };
  for (const [key, value] of Object.entries(feedback.annotations))
    if (value === null) delete annotations[key];
    else annotations[key] = value;
  const finalizers = [...new Set([...(source.metadata.finalizers ?? []), feedback.finalizer])];
  const metadata: ObjectMeta = { ...source.metadata, finalizers };
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
  else delete metadata.annotations;
  return { ...source, metadata };
}

function decisionOperation(
  deps: SchedulerDeps,
  federated: ObjectRef,
  old: Loaded | undefined,
  object: KubeObject,
  now: number,
): WriteOperation | undefined {
  const kind = definition(deps, companionScopes(federated).decision);
  if (!old) return createOperation(kind, object, { now, uid: deps.ids.uid(), part: 'objectAndStatus' });
  return updateOperation(kind, old, object, { now, part: 'objectAndStatus' });
}

/** Events about an object for which nothing else is stored. What is told already is not counted again: every change of the object would. */
export async function tellOnce(deps: SchedulerDeps, source: KubeObject, told: readonly PlanEvent[]): Promise<void> {
  const operations = await events(deps, source, told, deps.clock.now());
  await writeAll(
    deps.objects,
    operations.filter(({ type }) => type === 'create'),
    SCHEDULER,
  );
}

async function events(
  deps: SchedulerDeps,
  source: KubeObject,
  told: readonly PlanEvent[],
  now: number,
): Promise<WriteOperation[]> {
  const kind = definition(deps, SCOPES.events);
  const operations: WriteOperation[] = [];
  for (const event of told) {
    const operation = await eventOperation({ reader: deps.reader, definition: kind }, source, event, {
      now,
      uid: deps.ids.uid(),
    });
    if (operation) operations.push(operation);
  }
  return operations;
}

/** The definition of a stored scope. Throws when nothing serves it. */
export function definition(deps: Pick<SchedulerDeps, 'registry'>, scope: string): ResourceDefinition {
  const found = deps.registry().byScope(scope);
  if (!found) throw new Error(`nothing serves the stored scope ${scope}`);
  return found;
}
