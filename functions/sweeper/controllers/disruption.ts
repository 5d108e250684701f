/** Keeps the status of a PodDisruptionBudget: how many pods it sees, how many must stay, how many may be evicted (pkg/controller/disruption). */
import { mayDisrupt } from '../../../shared/apis/policy/disruption.ts';
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import { storedScope } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { getPath } from '../../../shared/machinery/paths.ts';
import { parseApiVersion } from '../../../shared/machinery/resource.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { loadSelected } from './read.ts';
import { update } from './write.ts';

/** `object` is the budget. */
export async function reconcileDisruption(deps: ControlDeps, ref: ObjectRef): Promise<ReconcileResult> {
  const loaded = await deps.reader.get(ref);
  if (!loaded || loaded.object.metadata.deletionTimestamp !== undefined) return done('gone or going');
  const budget = loaded.object;
  const { selector } = budget.spec ?? {};
  const pods = selector ? (await loadSelected(deps, '/pods', ref.namespace, selector)).map(({ object }) => object) : [];
  const now = deps.clock.now();
  const { status, recheckAt } = mayDisrupt(budget, pods, await expectedScale(deps, pods), now);
  if (!(await update(deps, loaded, { ...budget, status }, 'status'))) return requeueAfter(WRITE_RETRY_MS, 'changed meanwhile');
  return recheckAt === undefined
    ? done(`${pods.length} pods`)
    : requeueAfter(Math.max(1, recheckAt - now), 'an eviction is under way');
}

/** Sum of what the controllers of these pods are to run; pods without one count for nothing. */
async function expectedScale(deps: ControlDeps, pods: readonly KubeObject[]): Promise<number> {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const scale = await scaleOfController(deps, pod);
    if (scale) scales.set(scale.uid, scale.replicas);
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}

type Scale = { uid: string; replicas: number };

/** The controller's own controller counts where there is one: a ReplicaSet stands for its Deployment. */
async function scaleOfController(deps: ControlDeps, dependent: KubeObject): Promise<Scale | undefined> {
  const owner = (dependent.metadata.ownerReferences ?? []).find(({ controller }) => controller);
  if (!owner) return undefined;
  const { group, version } = parseApiVersion(owner.apiVersion);
  const definition = deps.registry().byKind(group, version, owner.kind);
  if (!definition) return undefined;
  const namespace = dependent.metadata.namespace ?? '';
  const found = await deps.reader.get({ scope: storedScope(definition), namespace, name: owner.name });
  if (!found || found.stored.uid !== owner.uid) return undefined;
  const above = await scaleOfController(deps, found.object);
  if (above) return above;
  const replicas = definition.scale ? getPath(found.object, definition.scale.specReplicas) : undefined;
  return typeof replicas === 'number' ? { uid: owner.uid, replicas } : undefined;
}
