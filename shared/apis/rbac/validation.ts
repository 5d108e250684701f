/** Rules of `rbac.authorization.k8s.io/v1` kinds (k8s.io/kubernetes/pkg/apis/rbac/validation). */
import { deepEqual } from '../../machinery/equality.ts';
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import { eachItem, invalid, invalidEach, isEmptyText, notSupported, type OwnField, required } from '../validation/fields.ts';
import { validateLabelSelector } from '../validation/selector.ts';

const GROUP = 'rbac.authorization.k8s.io';

export function validateRole(role: KubeObject): FieldError[] {
  return eachItem('rules', role.rules, (rule, path) => [...namespacedUrls(rule, path), ...ruleErrors(rule, path)]);
}

export function validateClusterRole(role: KubeObject): FieldError[] {
  const aggregation = role.aggregationRule;
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = aggregation?.clusterRoleSelectors;
  return [
    ...eachItem('rules', role.rules, ruleErrors),
    ...(aggregation && !(selectors?.length > 0)
      ? [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
      : []),
    ...eachItem(field, selectors, (selector, path) => validateLabelSelector(path, selector)),
  ];
}

function namespacedUrls({ nonResourceURLs }: OwnField, path: string): FieldError[] {
  if (!(nonResourceURLs?.length > 0)) return [];
  return [invalid(`${path}.nonResourceURLs`, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs')];
}

function ruleErrors({ verbs, nonResourceURLs, apiGroups, resources, resourceNames }: OwnField, path: string): FieldError[] {
  const isEmpty = (list: unknown) => !Array.isArray(list) || list.length === 0;
  const errors = isEmpty(verbs) ? [required(`${path}.verbs`, 'verbs must contain at least one value')] : [];
  if (!isEmpty(nonResourceURLs)) {
    if (isEmpty(apiGroups) && isEmpty(resources) && isEmpty(resourceNames)) return errors;
    const why = 'rules cannot apply to both regular resources and non-resource URLs';
    return [...errors, invalid(`${path}.nonResourceURLs`, nonResourceURLs, why)];
  }
  if (isEmpty(apiGroups)) errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (isEmpty(resources)) errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

export function validateRoleBinding(binding: KubeObject): FieldError[] {
  return bindingErrors(binding, ['Role', 'ClusterRole'], () => []);
}

export function validateClusterRoleBinding(binding: KubeObject): FieldError[] {
  return bindingErrors(binding, ['ClusterRole'], (subject, path) => (subject.namespace ? [] : [required(`${path}.namespace`)]));
}

/** What a binding binds stays; who it binds may change. */
export function validateBindingUpdate(binding: KubeObject, old: KubeObject): FieldError[] {
  if (deepEqual(binding.roleRef, old.roleRef)) return [];
  const { apiGroup = '', kind = '', name = '' } = binding.roleRef ?? {};
  // In Go's spelling, as upstream prints it.
  return [invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')];
}

type SubjectCheck = (subject: OwnField, path: string) => FieldError[];

function bindingErrors(binding: KubeObject, kinds: readonly string[], accountErrors: SubjectCheck): FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = binding.roleRef ?? {};
  return [
    ...(apiGroup === GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === '' ? [required('roleRef.name')] : invalidEach('roleRef.name', name, nameErrors('pathSegment', name))),
    ...eachItem('subjects', binding.subjects, (subject, path) => subjectErrors(subject, path, accountErrors)),
  ];
}

function subjectErrors(subject: OwnField, path: string, accountErrors: SubjectCheck): FieldError[] {
  const { kind = '', name = '', apiGroup = '' } = subject ?? {};
  const errors = isEmptyText(name) ? [required(`${path}.name`)] : [];
  if (kind === 'User' || kind === 'Group')
    return apiGroup === GROUP ? errors : [...errors, notSupported(`${path}.apiGroup`, apiGroup, [GROUP])];
  if (kind !== 'ServiceAccount') return [...errors, notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  return [
    ...errors,
    ...(name === '' ? [] : invalidEach(`${path}.name`, name, nameErrors('subdomain', name))),
    ...(apiGroup === '' ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [''])]),
    ...accountErrors(subject, path),
  ];
}
