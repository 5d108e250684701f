/** ClusterRoles that gather the rules of others: `rules` is what the roles that their selectors match hold, in the order of names. */

import type { ObjectRef } from '../../../shared/apis/stored.ts';
import { fromStored } from '../../../shared/apis/stored.ts';
import { selectorMatch } from '../../../shared/apis/validation/selector.ts';
import { deepEqual } from '../../../shared/machinery/equality.ts';
import type { JsonValue, KubeObject } from '../../../shared/machinery/object.ts';
import { listStored } from '../../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { update } from './write.ts';

/** `object` is the ClusterRole that gathers. */
export async function reconcileAggregation(deps: ControlDeps, object: ObjectRef): Promise<ReconcileResult> {
  const role = await deps.reader.get(object);
  const selectors: unknown = role?.object.aggregationRule?.clusterRoleSelectors;
  if (!role || !Array.isArray(selectors)) return done('gathers nothing');
  const others: KubeObject[] = [];
  for await (const stored of listStored(deps.objects, object.scope))
    if (stored.name !== object.name) others.push(fromStored(stored));
  const rules = gathered(selectors, others);
  if (deepEqual(rules, role.object.rules ?? [])) return done('up to date');
  const isWritten = await update(deps, role, { ...role.object, rules });
  return isWritten ? done(`${rules.length} rules`) : requeueAfter(WRITE_RETRY_MS, 'the role changed meanwhile');
}

/** Selector by selector, each rule once. */
function gathered(selectors: readonly KubeObject[string][], roles: readonly KubeObject[]): JsonValue[] {
  const rules = new Map<string, JsonValue>();
  for (const selector of selectors)
    for (const { metadata, rules: own } of roles) {
      if (selectorMatch(selector, metadata.labels) !== 'matches' || !Array.isArray(own)) continue;
      for (const rule of own) rules.set(JSON.stringify(rule), rule);
    }
  return [...rules.values()];
}
