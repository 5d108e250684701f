/** `pods/eviction`: a deletion that asks the pod's disruption budget first (pkg/registry/core/pod/storage/eviction.go). */
import { DISRUPTED_PODS_MAX, isHealthy, withAllowed } from '../../apis/policy/disruption.ts';
import type { Condition, KubeObject } from '../../machinery/object.ts';
import { labelSelectorRequirements, matchesLabels } from '../../machinery/selectors.ts';
import {
  badRequest,
  conflict,
  failure,
  forbidden,
  internalError,
  OBJECT_WAS_MODIFIED,
  type StatusCause,
  StatusError,
} from '../../machinery/status.ts';
import { formatTime } from '../../machinery/time.ts';
import { WRITE_ATTEMPTS_MAX } from '../limits.ts';
import type { View } from '../server.ts';
import { type PodViewDeps, podKinds, SUCCESS } from './views.ts';

const TOO_MANY = "Cannot evict pod as it would violate the pod's disruption budget.";
const PROCESSING_RETRY_S = 10;
const BUDGET = { group: 'policy', resource: 'poddisruptionbudget' };
const MANAGER = 'kube-apiserver';

type Eviction = { namespace: string; name: string; options: Record<string, unknown>; dryRun: boolean };

/** Deletes the pod, or answers 429 with the cause `DisruptionBudget`. */
export function evictionView(deps: PodViewDeps): View {
  return async ({ attributes, body, dryRun }) => {
    const { namespace, name } = attributes;
    if (body?.metadata.name && body.metadata.name !== name)
      throw badRequest('name in URL does not match name in Eviction object');
    const options: Record<string, unknown> = body?.deleteOptions ?? {};
    const isDry = dryRun || (Array.isArray(options.dryRun) && options.dryRun.includes('All'));
    await evict(deps, { namespace, name, options, dryRun: isDry });
    return { code: 201, object: SUCCESS };
  };
}

async function evict(deps: PodViewDeps, eviction: Eviction): Promise<void> {
  const { pods } = podKinds(deps);
  const pod = await deps.resources().get(pods, eviction.namespace, eviction.name);
  if (!isUnbound(pod)) await askBudget(deps, eviction, pod);
  if (eviction.dryRun) return;
  if (!isUnbound(pod)) await markDisrupted(deps, pod);
  const { gracePeriodSeconds, propagationPolicy, preconditions } = eviction.options as {
    gracePeriodSeconds?: number;
    propagationPolicy?: string;
    preconditions?: { uid?: string; resourceVersion?: string };
  };
  await deps.resources().delete(pods, eviction.namespace, eviction.name, {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions?.uid === undefined ? {} : { uid: preconditions.uid }),
  });
}

/** Pods that have ended, wait for a node, or are going already cost no availability. */
function isUnbound({ metadata, status }: KubeObject): boolean {
  return ['Succeeded', 'Failed', 'Pending'].includes(String(status?.phase)) || metadata.deletionTimestamp !== undefined;
}

async function askBudget(deps: PodViewDeps, eviction: Eviction, pod: KubeObject): Promise<void> {
  const { budgets } = podKinds(deps);
  for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt += 1) {
    const { items } = await deps.resources().list(budgets, { namespace: eviction.namespace });
    const matching = items.filter((budget) => selects(budget, pod));
    const [budget] = matching;
    if (matching.length > 1)
      throw internalError('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
    if (!budget || mayGoUnhealthy(budget, pod)) return;
    const next = decremented(budget, pod, deps.clock.now());
    if (eviction.dryRun) return;
    try {
      await deps.resources().update(budgets, next, { subresource: 'status', fieldManager: MANAGER });
      return;
    } catch (error) {
      // Another eviction was faster: what it left is looked at again.
      if (!(error instanceof StatusError && error.status.code === 409)) throw error;
    }
  }
  throw conflict({ group: 'policy', resource: 'poddisruptionbudgets' }, '', OBJECT_WAS_MODIFIED);
}

function selects({ spec }: KubeObject, pod: KubeObject): boolean {
  if (!spec?.selector) return false;
  try {
    return matchesLabels(labelSelectorRequirements(spec.selector), pod.metadata.labels);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** A pod that is not ready costs nothing, if the budget says so: always, or while enough others are well. */
function mayGoUnhealthy({ spec, status = {} }: KubeObject, pod: KubeObject): boolean {
  if (isHealthy(pod)) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

/** The budget with one disruption less; 429 when it has none to give. */
function decremented(budget: KubeObject, pod: KubeObject, now: number): KubeObject {
  const name = budget.metadata.name ?? '';
  const status = budget.status ?? {};
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0))
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, PROCESSING_RETRY_S);
  const allowed: number = status.disruptionsAllowed ?? 0;
  if (allowed < 0) throw forbidden(BUDGET, name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > DISRUPTED_PODS_MAX)
    throw forbidden(BUDGET, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (allowed === 0) throw tooMany(exhausted(budget), undefined);
  const left = allowed - 1;
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name ?? '']: formatTime(now) };
  const conditions = left === 0 ? withAllowed(budget, 0, now) : (status.conditions ?? []);
  return { ...budget, status: { ...status, disruptionsAllowed: left, disruptedPods, conditions } };
}

function exhausted({ metadata, status }: KubeObject): string {
  const condition = ((status?.conditions ?? []) as Condition[]).find(({ type }) => type === 'DisruptionAllowed');
  const says = condition?.status === 'False' && condition.message ? condition : undefined;
  const budget = `The disruption budget ${metadata.name}`;
  if (says?.reason === 'SyncFailed')
    return `${budget} does not allow evicting pods currently because it failed sync: ${says.message}`;
  if (status.currentHealthy <= status.desiredHealthy)
    return `${budget} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`;
  const why = says ? ` (${says.reason}): ${says.message}` : '';
  return `${budget} does not allow evicting pods currently${why}`;
}

function tooMany(message: string, retryAfterSeconds: number | undefined): StatusError {
  const causes: StatusCause[] = [{ reason: 'DisruptionBudget', message }];
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return failure(429, 'TooManyRequests', TOO_MANY, { causes, ...retry });
}

/** Why the pod goes, for whoever counts its failure. */
async function markDisrupted(deps: PodViewDeps, pod: KubeObject): Promise<void> {
  const { pods } = podKinds(deps);
  const { namespace = '', name = '' } = pod.metadata;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: formatTime(deps.clock.now()),
  };
  const body = JSON.stringify({ status: { conditions: [condition] } });
  const patch = { contentType: 'application/strategic-merge-patch+json', body };
  await deps.resources().patch(pods, namespace, name, patch, { subresource: 'status', fieldManager: MANAGER });
}
