/**
 * From override policies to JSON patches per cluster. A rule works on the object as all earlier rules and policies left it for that
 * cluster; its own families are all computed from the same object and do not see each other. Behaviour copied from KubeAdmiral.
 */
import type { KubeObject } from '../../machinery/object.ts';
import type { LabelledCluster } from '../policies/affinity.ts';
import type { ClusterOverride } from '../snapshot.ts';
import { entrypointPatches, envPatches } from './containers.ts';
import { imagePatches } from './image.ts';
import { type OverridePatch, type OverrideRule, type Overriders, ok, type Patches } from './overriders.ts';
import { applyLenient } from './patches.ts';
import { stringMapPatches } from './string-maps.ts';
import { compileTarget, type TargetMatcher } from './targets.ts';

export type ComputedOverrides =
  /** Clusters with at least one patch, in the order in which they were given. */
  | { type: 'ok'; overrides: ClusterOverride[] }
  /** The first rule (counted from 0) that cannot be evaluated; nothing of it or any other rule is to be applied. */
  | { type: 'invalid'; cluster: string; policy: string; rule: number; message: string };

type Input = { template: KubeObject; policies: readonly KubeObject[]; clusters: readonly LabelledCluster[] };
type Rule = { policy: string; index: number; matches: TargetMatcher; overriders: Overriders };
/** The object and the patches after some rules. Clusters that took the same rules share it. */
type State = {
  preview: KubeObject;
  patches: readonly OverridePatch[];
  next: Map<Rule, State | { type: 'invalid'; message: string }>;
};

/** Overrides of every cluster. `policies` in their order of effect: the cluster-scoped one first. */
export function computeOverrides({ template, policies, clusters }: Input): ComputedOverrides {
  const rules = policies.flatMap(rulesOf);
  const start: State = { preview: template, patches: [], next: new Map() };
  const overrides: ClusterOverride[] = [];
  for (const cluster of clusters) {
    let state = start;
    for (const rule of rules) {
      const match = rule.matches(cluster);
      if (match.type === 'noMatch') continue;
      const after = match.type === 'match' ? afterRule(state, rule) : match;
      if ('type' in after)
        return { type: 'invalid', cluster: cluster.name, policy: rule.policy, rule: rule.index, message: after.message };
      state = after;
    }
    if (state.patches.length > 0) overrides.push({ cluster: cluster.name, patches: state.patches });
  }
  return { type: 'ok', overrides };
}

function rulesOf(policy: KubeObject): Rule[] {
  const rules = (policy.spec?.overrideRules ?? []) as OverrideRule[];
  return rules.map(({ targetClusters, overriders }, index) => ({
    policy: policy.metadata.name ?? '',
    index,
    matches: compileTarget(targetClusters),
    overriders: overriders ?? {},
  }));
}

function afterRule(state: State, rule: Rule): State | { type: 'invalid'; message: string } {
  const known = state.next.get(rule);
  if (known) return known;
  const after = applyRule(state, rule);
  state.next.set(rule, after);
  return after;
}

function applyRule({ preview, patches }: State, rule: Rule): State | { type: 'invalid'; message: string } {
  const made = overriderPatches(preview, rule.overriders);
  if (made.type === 'invalid') return made;
  const applied = applyLenient(preview, made.patches.filter(isPreviewed));
  if (applied.type === 'invalid') return applied;
  return { preview: applied.object, patches: [...patches, ...made.patches], next: new Map() };
}

/** Finalizers of the member are not in the template: patches of theirs are kept, but cannot be tried out. */
function isPreviewed({ path }: OverridePatch): boolean {
  return !path.startsWith('/metadata/finalizers');
}

/** All families of a rule, each computed from the object as given, in the fixed order. */
export function overriderPatches(object: KubeObject, overriders: Overriders): Patches {
  const families: readonly (() => Patches)[] = [
    () => imagePatches(object, overriders.image ?? []),
    () => entrypointPatches(object, 'command', overriders.command ?? []),
    () => entrypointPatches(object, 'args', overriders.args ?? []),
    () => envPatches(object, overriders.envs ?? []),
    () => stringMapPatches(object, 'annotations', overriders.annotations ?? []),
    () => stringMapPatches(object, 'labels', overriders.labels ?? []),
    () => ok((overriders.jsonpatch ?? []).map(jsonPatch)),
  ];
  const patches: OverridePatch[] = [];
  for (const family of families) {
    const made = family();
    if (made.type === 'invalid') return made;
    patches.push(...made.patches);
  }
  return ok(patches);
}

function jsonPatch({
  operator,
  path,
  value,
}: {
  operator?: string;
  path: string;
  value?: OverridePatch['value'];
}): OverridePatch {
  const op = operator || 'replace';
  return value === undefined ? { op, path } : { op, path, value };
}

/** Appends the overrides of a later source to those of an earlier one, cluster by cluster. */
export function mergeOverrides(first: readonly ClusterOverride[], second: readonly ClusterOverride[]): ClusterOverride[] {
  const merged = new Map<string, OverridePatch[]>();
  for (const { cluster, patches } of [...first, ...second]) merged.set(cluster, [...(merged.get(cluster) ?? []), ...patches]);
  return [...merged].map(([cluster, patches]) => ({ cluster, patches }));
}
