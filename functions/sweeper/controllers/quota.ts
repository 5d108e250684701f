/** Counts what the objects of a namespace use of a ResourceQuota, and writes it to its status (pkg/controller/resourcequota). */
import {
  addLists,
  maskList,
  type ResourceList,
  resourceList,
  resourceListValue,
} from '../../../shared/apis/core/resource-list.ts';
import type { ResourceDefinition } from '../../../shared/apis/definition.ts';
import { inScope, scopeSelectors } from '../../../shared/apis/quota/scopes.ts';
import { matchingResources, usageOf } from '../../../shared/apis/quota/usage.ts';
import { fromStored, type ObjectRef, storedScope } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { listStored } from '../../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { update } from './write.ts';

const ZERO: ResourceList = resourceList({ zero: '0' });

/** `object` is the quota. Admission may charge it at the same time: the later write then loses, and is made again on what was counted anew. */
export async function reconcileQuota(deps: ControlDeps, ref: ObjectRef): Promise<ReconcileResult> {
  const loaded = await deps.reader.get(ref);
  if (!loaded || loaded.object.metadata.deletionTimestamp !== undefined) return done('gone or going');
  const quota = loaded.object;
  const hard = resourceList(quota.spec?.hard);
  const used = await countUsed(deps, quota, hard);
  const status = { ...quota.status, hard: resourceListValue(hard), used: resourceListValue(used) };
  const isWritten = await update(deps, loaded, { ...quota, status }, 'status');
  return isWritten ? done(`${used.size} resources counted`) : requeueAfter(WRITE_RETRY_MS, 'charged meanwhile');
}

async function countUsed(deps: ControlDeps, quota: KubeObject, hard: ResourceList): Promise<ResourceList> {
  const zero = ZERO.get('zero');
  let used: ResourceList = new Map(zero ? [...hard.keys()].map((name) => [name, zero]) : []);
  const names = [...hard.keys()];
  for (const definition of countedKinds(deps, names)) {
    const { group, plural } = definition;
    const matching = new Set(matchingResources(definition, names));
    // Only what is measured by its content has to be parsed: everything else counts as one, unless scopes ask to look.
    const isMeasured = group === '' && ['pods', 'services', 'persistentvolumeclaims'].includes(plural);
    for await (const stored of listStored(deps.objects, storedScope(definition), quota.metadata.namespace ?? '')) {
      const object = isMeasured ? fromStored(stored) : NOTHING;
      if (scopeSelectors(quota).length > 0 && !inScope(quota, definition, object)) continue;
      used = addLists(used, maskList(usageOf(definition, object, deps.clock.now()), matching));
    }
  }
  return used;
}

const NOTHING: KubeObject = { apiVersion: '', kind: '', metadata: {} };

/** One definition per stored kind that any of these names counts. */
function countedKinds(deps: ControlDeps, names: readonly string[]): ResourceDefinition[] {
  const byScope = new Map<string, ResourceDefinition>();
  for (const definition of deps.registry().all()) {
    if (!definition.namespaced || definition.virtual || definition.storedAs) continue;
    const scope = storedScope(definition);
    if (!byScope.has(scope) && matchingResources(definition, names).length > 0) byScope.set(scope, definition);
  }
  return [...byScope.values()];
}
