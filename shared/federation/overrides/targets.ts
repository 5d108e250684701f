/** Which clusters a rule is for (`targetClusters`), and which override policies an object names. Behaviour copied from KubeAdmiral. */
import { labelKeyErrors, labelValueErrors } from '../../machinery/names.ts';
import { compileTerms, type LabelledCluster, matchesSelector, matchTerms, type TermsMatch } from '../policies/affinity.ts';
import { CLUSTER_OVERRIDE_POLICY_LABEL, OVERRIDE_POLICY_LABEL } from '../policies/match.ts';
import type { TargetClusters } from './overriders.ts';

/** A target, checked once and asked for many clusters. */
export type TargetMatcher = (cluster: LabelledCluster) => TermsMatch;

/** All of the three parts must agree; an absent or empty part agrees with every cluster. What is malformed counts only where evaluation reaches it. */
export function compileTarget(target: TargetClusters | null | undefined): TargetMatcher {
  const { clusters, clusterSelector, clusterAffinity } = target ?? {};
  const names = clusters && clusters.length > 0 ? new Set(clusters) : undefined;
  const selector = clusterSelector ?? {};
  const wrongSelector = selectorError(selector);
  const terms = clusterAffinity && clusterAffinity.length > 0 ? compileTerms(clusterAffinity) : undefined;
  return (cluster) => {
    if (names && !names.has(cluster.name)) return { type: 'noMatch' };
    if (wrongSelector !== undefined) return { type: 'invalid', message: wrongSelector };
    if (!matchesSelector(selector, cluster.labels)) return { type: 'noMatch' };
    return terms ? matchTerms(terms, cluster) : { type: 'match' };
  };
}

function selectorError(selector: Readonly<Record<string, string>>): string | undefined {
  for (const [key, value] of Object.entries(selector)) {
    const errors = [...labelKeyErrors(key), ...labelValueErrors(value)];
    if (errors.length > 0) return `clusterSelector ${key}: ${errors.join('; ')}`;
  }
  return undefined;
}

/** An override policy by name; `namespace` is empty for the cluster-scoped kind. */
export type OverridePolicyKey = { kind: 'OverridePolicy' | 'ClusterOverridePolicy'; namespace: string; name: string };

export type MatchedOverridePolicies = { type: 'ok'; policies: OverridePolicyKey[] } | { type: 'invalid'; message: string };

/**
 * The override policies that the labels name, the cluster-scoped one first. `namespace` is empty for cluster-scoped objects, which
 * name no OverridePolicy. Invalid: an empty label, or a policy that `exists` does not know.
 */
export function matchedOverridePolicies(
  object: { namespace: string; labels: Readonly<Record<string, string>> },
  exists: (policy: OverridePolicyKey) => boolean,
): MatchedOverridePolicies {
  const policies = namedOverridePolicies(object);
  for (const policy of policies) {
    if (policy.name === '') return { type: 'invalid', message: `the label of the ${policy.kind} is empty` };
    if (!exists(policy)) return { type: 'invalid', message: `${policy.kind} ${policy.name} does not exist` };
  }
  return { type: 'ok', policies };
}

/** The override policies that the labels name, whether they exist or not. */
export function namedOverridePolicies(object: {
  namespace: string;
  labels: Readonly<Record<string, string>>;
}): OverridePolicyKey[] {
  const { namespace, labels } = object;
  const policies: OverridePolicyKey[] = [];
  const cluster = Object.hasOwn(labels, CLUSTER_OVERRIDE_POLICY_LABEL) ? labels[CLUSTER_OVERRIDE_POLICY_LABEL] : undefined;
  if (cluster !== undefined) policies.push({ kind: 'ClusterOverridePolicy', namespace: '', name: cluster });
  const own = namespace !== '' && Object.hasOwn(labels, OVERRIDE_POLICY_LABEL) ? labels[OVERRIDE_POLICY_LABEL] : undefined;
  if (own !== undefined) policies.push({ kind: 'OverridePolicy', namespace, name: own });
  return policies;
}
