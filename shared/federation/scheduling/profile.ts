/** Scheduling profiles: which plugins run, in which order, with which weights and arguments. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { apiResources } from './filters/api-resources.ts';
import { clusterAffinity } from './filters/cluster-affinity.ts';
import { clusterEvicted, clusterJoined, clusterReady, clusterTerminating } from './filters/cluster-state.ts';
import { placementFilter } from './filters/placement.ts';
import { policyBounds } from './filters/policy-bounds.ts';
import { clusterResourcesFit, katalystResourcesExist } from './filters/resources.ts';
import { taintToleration } from './filters/taint-toleration.ts';
import type { FilterPlugin, Profile, ReplicasPlugin, ScorePlugin, SelectPlugin } from './framework.ts';
import { clusterCapacityWeight } from './replicas/capacity-weight.ts';
import { preferenceBinPack } from './replicas/preference-bin-pack.ts';
import { clusterAffinityScore } from './scores/cluster-affinity.ts';
import { balancedAllocation, leastAllocated, mostAllocated } from './scores/resources.ts';
import { taintTolerationScore } from './scores/taint-toleration.ts';
import { maxCluster } from './selects/max-cluster.ts';
import { prioritySort } from './selects/priority-sort.ts';

/** Plugin names by stage, in order. */
export type PluginNames = { filterPlugins: string[]; scorePlugins: string[]; selectPlugins: string[]; replicasPlugins: string[] };

/** One entry of `spec.plugins.*.enabled|disabled`; `wait` is the weight of a score, under the name that the API gives it. */
export type PluginChoice = { type?: string; name: string; wait?: number; weight?: number };
type StageChoice = { enabled?: PluginChoice[]; disabled?: PluginChoice[] } | null;

/** `spec.plugins` of a SchedulingProfile. */
export type PluginChoices = { filter?: StageChoice; score?: StageChoice; select?: StageChoice } | null;

/** Every plugin that a profile can name. */
export const FILTERS: readonly FilterPlugin[] = [
  apiResources,
  taintToleration,
  placementFilter,
  clusterAffinity,
  clusterReady,
  clusterTerminating,
  clusterEvicted,
  clusterResourcesFit,
  katalystResourcesExist,
];
export const SCORES: readonly ScorePlugin[] = [
  taintTolerationScore,
  balancedAllocation,
  leastAllocated,
  clusterAffinityScore,
  mostAllocated,
];
export const SELECTS: readonly SelectPlugin[] = [prioritySort, maxCluster];
export const REPLICAS: readonly ReplicasPlugin[] = [clusterCapacityWeight, preferenceBinPack];

/** What runs without a profile. */
export const DEFAULT_PLUGINS: Readonly<PluginNames> = {
  filterPlugins: [
    apiResources,
    taintToleration,
    placementFilter,
    clusterAffinity,
    clusterReady,
    clusterTerminating,
    clusterEvicted,
  ].map(({ name }) => name),
  scorePlugins: [taintTolerationScore, balancedAllocation, leastAllocated, clusterAffinityScore].map(({ name }) => name),
  selectPlugins: SELECTS.map(({ name }) => name),
  replicasPlugins: [clusterCapacityWeight.name],
};

/** What no profile can turn off. */
const ALWAYS: readonly FilterPlugin[] = [clusterJoined, policyBounds];
const NO_ARGS: JsonObject = {};

/** Applies a profile's choices to a list of names: `disabled` first (`*` = all), then `enabled` at the end, in order. */
export function applyProfile(base: Readonly<PluginNames>, plugins: PluginChoices | undefined): PluginNames {
  return {
    filterPlugins: chosen(base.filterPlugins, plugins?.filter),
    scorePlugins: chosen(base.scorePlugins, plugins?.score),
    selectPlugins: chosen(base.selectPlugins, plugins?.select),
    replicasPlugins: [...base.replicasPlugins],
  };
}

/** The plugins of an attempt. `profile` undefined: the default. Unknown names, wrong stages and duplicates are named. */
export function resolveProfile(
  profile: KubeObject | undefined,
): { type: 'ok'; profile: Profile } | { type: 'invalid'; message: string } {
  const plugins = profile?.spec?.plugins as PluginChoices | undefined;
  const names = applyProfile(DEFAULT_PLUGINS, plugins);
  const filters = pick('filter', names.filterPlugins, FILTERS);
  const scores = pick('score', names.scorePlugins, SCORES);
  const selects = pick('select', names.selectPlugins, SELECTS);
  const name = profile?.metadata.name ?? '';
  for (const picked of [filters, scores, selects])
    if (picked.type === 'invalid') return { type: 'invalid', message: `SchedulingProfile ${name}: ${picked.message}` };
  if (filters.type === 'invalid' || scores.type === 'invalid' || selects.type === 'invalid') throw new TypeError('unreachable');
  const weights = new Map((plugins?.score?.enabled ?? []).map((choice) => [choice.name, choice.weight ?? choice.wait ?? 0]));
  return {
    type: 'ok',
    profile: {
      name,
      filters: [...ALWAYS, ...filters.plugins],
      scores: scores.plugins.map((plugin) => ({ plugin, weight: weights.get(plugin.name) || 1 })),
      selects: selects.plugins,
      replicas: { Spread: clusterCapacityWeight, Binpack: preferenceBinPack },
      args: argsOf(profile),
    },
  };
}

/** Arguments of one plugin. */
export function argsFor(profile: Profile, plugin: string): JsonObject {
  return Object.hasOwn(profile.args, plugin) ? (profile.args[plugin] ?? NO_ARGS) : NO_ARGS;
}

function chosen(base: readonly string[], choice: StageChoice | undefined): string[] {
  const disabled = new Set((choice?.disabled ?? []).map(({ name }) => name));
  const kept = disabled.has('*') ? [] : base.filter((name) => !disabled.has(name));
  return [...kept, ...(choice?.enabled ?? []).map(({ name }) => name)];
}

type Picked<P> = { type: 'ok'; plugins: P[] } | { type: 'invalid'; message: string };

function pick<P extends { name: string }>(stage: string, names: readonly string[], plugins: readonly P[]): Picked<P> {
  const found: P[] = [];
  for (const name of names) {
    const plugin = plugins.find((candidate) => candidate.name === name);
    if (!plugin) return { type: 'invalid', message: `no ${stage} plugin is called ${name}` };
    if (found.includes(plugin)) return { type: 'invalid', message: `${stage} plugin ${name} is enabled twice` };
    found.push(plugin);
  }
  return { type: 'ok', plugins: found };
}

function argsOf(profile: KubeObject | undefined): Record<string, JsonObject> {
  const configs = (profile?.spec?.pluginConfig ?? []) as { name?: string; args?: JsonObject }[];
  return Object.fromEntries(configs.map(({ name, args }) => [name ?? '', args ?? {}]));
}
