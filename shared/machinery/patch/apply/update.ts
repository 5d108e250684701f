/** The two ways to change an object, as ownership sees them. Pure counterparts of structured-merge-diff's `merge.Updater`. */
import type { JsonObject } from '../../object.ts';
import { collectFields } from './collect.ts';
import { reconcileWithSchema } from './field-schema.ts';
import { emptySet, union } from './field-set.ts';
import { type Actor, actorId, type ManagedSet, type Managers } from './managers.ts';
import { mergeObjects } from './merge.ts';
import { pruneFields } from './prune.ts';
import { filterReset, type ResetFields, stripIdentity } from './reset-fields.ts';
import { type Conflicts, createComparer, findTakeOver, settle } from './take-over.ts';
import { inVersion, type Versions } from './versions.ts';

/** An applied configuration over a live object, both in `actor.apiVersion` and valid. */
export type ApplyStep = {
  live: JsonObject;
  config: JsonObject;
  managers: Managers;
  actor: Actor;
  force: boolean;
  versions: Versions;
  reset: ResetFields;
};

export type ApplyResult =
  | { type: 'applied'; object: JsonObject; managers: Managers }
  | { type: 'conflict'; conflicts: Conflicts };

/** Merges, prunes and settles ownership. The actor's entry keeps its time; the caller sets it when the object changed. */
export function applyStep(step: ApplyStep): ApplyResult {
  const { live, config, actor, versions, reset } = step;
  const id = actorId(actor);
  const managers = reconcileManagers(step.managers, live, versions);
  const last = managers.get(id);
  const set = filterReset(collectFields(config, versions.schema), reset);
  managers.set(id, { ...actor, time: last?.time, set });
  const merged = mergeObjects(live, config, versions.schema);
  const object = pruneFields(merged, last, id, managers, versions);
  const takeOver = findTakeOver(createComparer({ before: live, after: object, versions, reset }), managers, id);
  if (takeOver.conflicts.size > 0 && !step.force) return { type: 'conflict', conflicts: takeOver.conflicts };
  const settled = settle(managers, takeOver);
  const own = settled.get(id);
  if (own !== undefined) replaceSet(settled, id, { ...own, set: stripIdentity(own.set) });
  return { type: 'applied', object, managers: settled };
}

/** An object written whole. `before` is empty when it is created. */
export type UpdateStep = {
  before: JsonObject;
  after: JsonObject;
  managers: Managers;
  actor: Actor;
  time: string;
  versions: Versions;
  reset: ResetFields;
};

/** Gives the actor what it added or modified, and takes from everybody what it removed. Unchanged owners keep their times. */
export function updateStep(step: UpdateStep): Managers {
  const { before, after, actor, versions, reset } = step;
  const id = actorId(actor);
  const compare = createComparer({ before, after, versions, reset });
  const managers = reconcileManagers(step.managers, before, versions);
  const settled = settle(managers, findTakeOver(compare, managers, undefined));
  const comparison = compare(versions.apiVersion);
  if (comparison === undefined) return settled;
  const taken = stripIdentity(filterReset(union(comparison.modified, comparison.added), reset));
  if (taken.size > 0) settled.set(id, { ...actor, time: step.time, set: union(taken, settled.get(id)?.set ?? emptySet()) });
  return settled;
}

function replaceSet(managers: Managers, id: string, owner: ManagedSet): void {
  if (owner.set.size > 0) managers.set(id, owner);
  else managers.delete(id);
}

function reconcileManagers(managers: Managers, live: JsonObject, versions: Versions): Managers {
  const result: Managers = new Map();
  for (const [id, owner] of managers) {
    const seen = inVersion(versions, live, versions.apiVersion, owner.apiVersion);
    if (seen === undefined) continue;
    const set = reconcileWithSchema(owner.set, seen.schema);
    result.set(id, set === owner.set ? owner : { ...owner, set });
  }
  return result;
}

/** Updaters beyond these many are folded into one, oldest first. */
const UPDATE_MANAGERS_MAX = 10;
const ANCIENT_CHANGES = 'ancient-changes';

/** Folds the oldest updaters into `ancient-changes`, one entry per version. (apimachinery: capManagersManager.) */
export function capUpdateManagers(managers: Managers, secondsOf: (time: string | undefined) => number): Managers {
  const updaters = [...managers].filter(([, owner]) => owner.operation === 'Update');
  if (updaters.length <= UPDATE_MANAGERS_MAX) return managers;
  updaters.sort(([idA, a], [idB, b]) => secondsOf(a.time) - secondsOf(b.time) || (idA < idB ? -1 : 1));
  const result: Managers = new Map(managers);
  const firstByVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [id, owner] of updaters) {
    if (count <= UPDATE_MANAGERS_MAX) break;
    const first = firstByVersion.get(owner.apiVersion);
    if (first === undefined) {
      firstByVersion.set(owner.apiVersion, id);
      continue;
    }
    const actor: Actor = { manager: ANCIENT_CHANGES, operation: 'Update', apiVersion: owner.apiVersion, subresource: '' };
    const bucket = actorId(actor);
    const folded = result.get(bucket) ?? result.get(first);
    if (!result.has(bucket)) result.delete(first);
    result.delete(id);
    result.set(bucket, { ...actor, time: owner.time, set: union(owner.set, folded?.set ?? emptySet()) });
    count -= 1;
  }
  return result;
}
