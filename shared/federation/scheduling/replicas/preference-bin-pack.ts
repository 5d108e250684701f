/** Packs replicas into the clusters in their order: the first takes all it can. */
import type { ReplicasPlugin } from '../framework.ts';
import { type BinPackCluster, planBinPack } from '../planner/bin-pack.ts';
import { currentReplicas } from './capacity-weight.ts';

/** `replicasStrategy: Binpack`; the order is the one that Select gave. */
export const preferenceBinPack: ReplicasPlugin = {
  name: 'PreferenceBinPack',
  divide(unit, clusters) {
    const entries = clusters.map(
      ({ name }): BinPackCluster => ({
        name,
        min: unit.minReplicas.get(name) ?? 0,
        max: unit.maxReplicas.get(name),
        current: unit.current.has(name) ? currentReplicas(unit, name) : undefined,
        estimated: unit.estimated.get(name),
        limited: unit.limited.get(name),
        scheduled: unit.scheduled.get(name),
      }),
    );
    const listed = new Set(clusters.map(({ name }) => name));
    const { plan, overflow } = planBinPack(entries, {
      total: unit.replicas,
      avoidDisruption: unit.avoidDisruption,
      keepUnschedulable: unit.keepUnschedulable,
      strays: [...unit.current.keys()].some((name) => !listed.has(name)),
    });
    const notes = clusters.map((_, index) => (index === 0 ? 'first in order' : undefined));
    return { type: 'ok', replicas: plan.map((count, index) => count + (overflow[index] ?? 0)), notes };
  },
};
