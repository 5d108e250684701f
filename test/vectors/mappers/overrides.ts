/** Mappers of the override families and rules. */
import { computeOverrides, mergeOverrides, overriderPatches } from '../../../shared/federation/overrides/compute.ts';
import type { Overriders, Patches } from '../../../shared/federation/overrides/overriders.ts';
import { compileTarget, matchedOverridePolicies } from '../../../shared/federation/overrides/targets.ts';
import type { ClusterOverride } from '../../../shared/federation/snapshot.ts';
import { byFunction, failed, type Mapper, type Mappers, type Outcome, value } from '../outcome.ts';

type PatchesByCluster = Record<string, ClusterOverride['patches']>;

const family =
  (member: keyof Overriders): Mapper =>
  ({ input }) =>
    patches(overriderPatches(input.template, { [member]: input[member] }));

function patches(made: Patches): Outcome {
  return made.type === 'invalid' ? failed(made.message) : value({ patches: made.patches });
}

const rules: Mapper = ({ input }) => {
  const { template, overrideRules, clusters } = input;
  const policy = { apiVersion: '', kind: '', metadata: {}, spec: { overrideRules } };
  const computed = computeOverrides({ template: template ?? {}, policies: [policy], clusters });
  return computed.type === 'invalid' ? failed(computed.message) : value({ overrides: toRecord(computed.overrides) });
};

const target: Mapper = ({ input }) => {
  const match = compileTarget(input.targetClusters)(input.cluster);
  return match.type === 'invalid' ? failed(match.message) : value(match.type === 'match');
};

const merge: Mapper = ({ input }) => value(toRecord(mergeOverrides(toList(input.dest), toList(input.src))));

const lookup: Mapper = ({ input }) => {
  const { namespace, labels, overridePolicies, clusterOverridePolicies } = input;
  const known = new Set<string>([...(overridePolicies ?? []), ...(clusterOverridePolicies ?? [])]);
  const text = (policy: { namespace: string; name: string }) =>
    policy.namespace ? `${policy.namespace}/${policy.name}` : policy.name;
  const matched = matchedOverridePolicies({ namespace: namespace ?? '', labels: labels ?? {} }, (policy) =>
    known.has(text(policy)),
  );
  if (matched.type === 'invalid') return failed(matched.message);
  return value({ policies: matched.policies.length === 0 ? null : matched.policies.map(text), recheckOnError: false });
};

function toRecord(overrides: readonly ClusterOverride[]): PatchesByCluster {
  return Object.fromEntries(overrides.map(({ cluster, patches: list }) => [cluster, list]));
}

function toList(record: PatchesByCluster | null | undefined): ClusterOverride[] {
  return Object.entries(record ?? {}).map(([cluster, list]) => ({ cluster, patches: list }));
}

export const mappers: Mappers = {
  override_image: byFunction({ imageOverriders: family('image') }),
  override_command_args: byFunction({ commandOverriders: family('command'), argsOverriders: family('args') }),
  override_env: byFunction({ envsOverriders: family('envs') }),
  override_labels_annotations: byFunction({ annotationsOverriders: family('annotations'), labelsOverriders: family('labels') }),
  override_rules: byFunction({
    parseOverridePolicy: rules,
    targetClustersMatch: target,
    mergeOverrides: merge,
    matchedOverridePolicies: lookup,
  }),
};
