/**
 * Ownership of a count that is written through `/scale`. There the owners of the count are seen as owners of a Scale (`autoscaling/v1`), the
 * write is tracked on it, and the outcome is carried back into the object's managedFields. (apimachinery: ScaleHandler, quirks included:
 * entries that come back have no time, and an updater that keeps the count comes back as an entry of its own.)
 */

import { fieldElement } from './element.ts';
import { difference, hasPath, setOf } from './field-set.ts';
import { type Actor, actorId, type Managers } from './managers.ts';

const SCALE_VERSION = 'autoscaling/v1';

/** `path`: the count, dotted (`spec.replicas`). An absent count is 0. */
export type ScaleWrite = { managers: Managers; manager: string; apiVersion: string; path: string; before: number; after: number };

/** The owners after a write of the count. Nothing is tracked while nobody owns it. */
export function trackScale({ managers, manager, apiVersion, path, before, after }: ScaleWrite): Managers {
  const count = path.split('.').map(fieldElement);
  const owners = [...managers.values()].filter(({ set }) => hasPath(set, count));
  if (owners.length === 0) return managers;
  const scale = new Map<string, Actor>();
  if (before === after) for (const owner of owners) addActor(scale, { ...owner, apiVersion: SCALE_VERSION });
  else if (after !== 0) addActor(scale, { manager, operation: 'Update', apiVersion: SCALE_VERSION, subresource: 'scale' });
  return carryBack(managers, scale, apiVersion, count);
}

function addActor(actors: Map<string, Actor>, { manager, operation, apiVersion, subresource }: Actor): void {
  const actor = { manager, operation, apiVersion, subresource };
  actors.set(actorId(actor), actor);
}

function carryBack(managers: Managers, scale: Map<string, Actor>, apiVersion: string, count: readonly string[]): Managers {
  const result: Managers = new Map();
  const onlyCount = setOf([count]);
  for (const [id, owner] of managers) {
    const keeps = !hasPath(owner.set, count) || scale.delete(id);
    const set = keeps ? owner.set : difference(owner.set, onlyCount);
    if (set.size > 0) result.set(id, { ...owner, set });
  }
  for (const [id, actor] of scale) result.set(id, { ...actor, apiVersion, time: managers.get(id)?.time, set: onlyCount });
  return result;
}
