/** What somebody may do in a namespace, as a list: from roles where they decide, else by asking for everything that is served. */
import type { Registry } from '../../apis/definition.ts';
import type { PolicyRule } from '../../apis/rbac/evaluate.ts';
import type { ApiServerDeps, User } from '../server.ts';

type Deps = Pick<ApiServerDeps, 'authorize' | 'rbac'> & { registry: () => Registry };
type Rules = { resourceRules: object[]; nonResourceRules: object[]; incomplete: boolean; evaluationError?: string };

/** `status` of a SelfSubjectRulesReview. */
export async function resourceRules(deps: Deps, user: User, namespace: string): Promise<Rules> {
  if (!deps.rbac) return probedRules(deps, user, namespace);
  const { grants, errors } = (await deps.rbac()).grantsFor(user, namespace);
  const rules = grants.map(({ rule }) => rule);
  return {
    resourceRules: rules.filter(({ resources }) => resources.length > 0).map(shownResource),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(shownUrls),
    incomplete: false,
    ...(errors.length === 0 ? {} : { evaluationError: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` }),
  };
}

function shownResource({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
  return { verbs, apiGroups, resources, ...(resourceNames.length === 0 ? {} : { resourceNames }) };
}

function shownUrls({ verbs, nonResourceURLs }: PolicyRule): object {
  return { verbs, nonResourceURLs };
}

/** Complete for what is served, silent on paths. */
async function probedRules({ registry, authorize }: Deps, user: User, namespace: string): Promise<Rules> {
  const every = { user, verb: '*', group: '*', version: '*', resource: '*', subresource: '', namespace, name: '' };
  const paths = await authorize({ ...every, group: '', version: '', resource: '', verb: 'get', path: '*' });
  const nonResourceRules = paths.allowed ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [];
  if ((await authorize(every)).allowed)
    return { resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], nonResourceRules, incomplete: false };
  const found: object[] = [];
  for (const { group, version, plural, verbs, namespaced } of registry().all()) {
    const ask = { user, group, version, resource: plural, subresource: '', namespace: namespaced ? namespace : '', name: '' };
    const allowed: string[] = [];
    for (const verb of verbs) if ((await authorize({ ...ask, verb })).allowed) allowed.push(verb);
    if (allowed.length > 0) found.push({ verbs: allowed, apiGroups: [group], resources: [plural] });
  }
  return { resourceRules: found, nonResourceRules, incomplete: true };
}
