/** Policies with their bindings, compiled once per version. */
import { type CompiledPolicy, compilePolicy } from '../../../apis/admission/policy.ts';
import type { KubeObject } from '../../../machinery/object.ts';
import type { AdmissionDeps } from '../chain.ts';
import { createCompiledView } from '../compiled-view.ts';
import { type Criteria, readCriteria } from '../matching.ts';

export type ParamKind = { apiVersion: string; kind: string };
export type ParamRef = { name?: string; namespace?: string; selector?: KubeObject[string]; parameterNotFoundAction?: string };
export type Binding = {
  name: string;
  policyName: string;
  criteria: Criteria;
  paramRef: ParamRef | undefined;
  actions: readonly string[];
};
/** A policy that is in force: without bindings it is not. */
export type Hook = { policy: CompiledPolicy; criteria: Criteria; paramKind: ParamKind | undefined; bindings: readonly Binding[] };

const GROUP = 'admissionregistration.k8s.io';
const NO_HOOKS: readonly Hook[] = [];

/** The policies in force. Costs next to nothing while there are none. */
export function createHooks(deps: Pick<AdmissionDeps, 'store' | 'clock'>): () => Promise<readonly Hook[]> {
  const policies = createCompiledView(deps, `${GROUP}/validatingadmissionpolicies`, readPolicy);
  const bindings = createCompiledView(deps, `${GROUP}/validatingadmissionpolicybindings`, readBinding);
  let made: { policies: unknown; bindings: unknown; hooks: readonly Hook[] } | undefined;
  return async () => {
    const allBindings = await bindings();
    if (allBindings.length === 0) return NO_HOOKS;
    const allPolicies = await policies();
    if (made?.policies !== allPolicies || made.bindings !== allBindings) {
      const byPolicy = Map.groupBy(allBindings, ({ policyName }) => policyName);
      const hooks = allPolicies.flatMap((policy) => {
        const own = byPolicy.get(policy.policy.name);
        return own ? [{ ...policy, bindings: own }] : [];
      });
      made = { policies: allPolicies, bindings: allBindings, hooks };
    }
    return made.hooks;
  };
}

function readPolicy(object: KubeObject): Omit<Hook, 'bindings'> {
  const { matchConstraints, paramKind } = object.spec ?? {};
  return {
    policy: compilePolicy(object),
    criteria: readCriteria(matchConstraints, matchConstraints?.resourceRules ?? [], matchConstraints?.excludeResourceRules),
    paramKind: paramKind ?? undefined,
  };
}

function readBinding({ metadata, spec }: KubeObject): Binding {
  const resources = spec?.matchResources;
  const rules = resources?.resourceRules?.length > 0 ? resources.resourceRules : undefined;
  return {
    name: metadata.name ?? '',
    policyName: spec?.policyName ?? '',
    criteria: readCriteria(resources, rules, resources?.excludeResourceRules),
    paramRef: spec?.paramRef ?? undefined,
    actions: spec?.validationActions ?? [],
  };
}
