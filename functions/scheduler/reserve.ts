/** Notes what a committed plan adds to its clusters, until their reports show it. */
import { SCHEDULER_CONTROLLER } from '../../shared/federation/keys.ts';
import { dispatchOwner } from '../../shared/federation/records.ts';
import type { Plan, PlanSnapshot, ResourceAmounts } from '../../shared/federation/snapshot.ts';
import { placedClusters } from '../../shared/federation/status/context.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { SchedulerDeps } from './deps.ts';
import type { Subject } from './subject.ts';

/** Call once per committed plan that changed something. */
export function reserve(
  deps: SchedulerDeps,
  { federatedRef }: Subject,
  { federated, clusters }: PlanSnapshot,
  { placements, decision }: Extract<Plan, { type: 'planned' }>,
): void {
  const request = requestOf(decision);
  if (Object.keys(request).length === 0) return;
  const owner = dispatchOwner(federatedRef);
  const before = federated ? placedReplicas(federated) : new Map<string, number>();
  deps.reservations.add({ owner, request, before, placements, clusters, now: deps.clock.now() });
}

/** What one replica asks for, as the decision recorded it. */
function requestOf(decision: KubeObject): ResourceAmounts {
  return (decision.spec?.request ?? {}) as ResourceAmounts;
}

type Overrides = { controller?: string; clusters?: { cluster?: string; patches?: { value?: unknown }[] }[] };

/** Replicas per placed cluster as the FederatedObject's own overrides state them; 0 where the template's count holds. */
function placedReplicas(federated: KubeObject): Map<string, number> {
  const replicas = new Map([...placedClusters(federated)].map((cluster) => [cluster, 0]));
  for (const { controller, clusters = [] } of (federated.spec?.overrides ?? []) as Overrides[]) {
    if (controller !== SCHEDULER_CONTROLLER) continue;
    for (const { cluster = '', patches = [] } of clusters) {
      const value = patches[0]?.value;
      if (typeof value === 'number') replicas.set(cluster, value);
    }
  }
  return replicas;
}
