/** The override step: what override policies change on the clusters that the object goes to. */
import { computeOverrides } from '../overrides/compute.ts';
import { CLUSTER_OVERRIDE_POLICY_LABEL, OVERRIDE_POLICY_LABEL } from '../policies/match.ts';
import type { Outcome } from '../scheduling/decision.ts';
import type { ClusterOverride, PlanSnapshot } from '../snapshot.ts';
import { type FederatedSpec, placedClusters } from './current.ts';
import type { Subject } from './subject.ts';

/** `failed`: nothing may be sent before the user has acted; the outcome says what is wrong. */
export type OverrideStep = { type: 'ok'; overrides: ClusterOverride[] } | { type: 'failed'; outcome: Outcome };

type OverridePolicies = PlanSnapshot['overridePolicies'];

/** Computes the overrides of the clusters that a spec places the object on. */
export function overrideStep({ snapshot, split }: Subject, spec: FederatedSpec): OverrideStep {
  const { overridePolicies } = snapshot;
  if (overridePolicies.length === 0) return { type: 'ok', overrides: [] };
  const missing = overridePolicies.find(({ object }) => object === undefined);
  if (missing) return failed('OverridePolicyNotFound', missingPolicy(missing));
  const clusters = new Set(placedClusters(spec));
  const computed = computeOverrides({
    template: split.template,
    policies: overridePolicies.flatMap(({ object }) => (object ? [object] : [])),
    clusters: snapshot.clusters.filter(({ name }) => clusters.has(name)),
  });
  if (computed.type === 'ok') return computed;
  const kind = overridePolicies.find(({ name }) => name === computed.policy)?.kind ?? 'OverridePolicy';
  const rule = `rule ${computed.rule + 1} of ${kind} ${computed.policy}`;
  return failed('OverridePolicyFailed', `${rule} cannot be applied for cluster ${computed.cluster}: ${computed.message}`);
}

function missingPolicy({ kind, name }: OverridePolicies[number]): string {
  const label = kind === 'OverridePolicy' ? OVERRIDE_POLICY_LABEL : CLUSTER_OVERRIDE_POLICY_LABEL;
  return name === '' ? `label ${label} is empty` : `${kind} ${name}, named by label ${label}, does not exist`;
}

function failed(reason: string, message: string): OverrideStep {
  return { type: 'failed', outcome: { status: 'False', reason, message } };
}
