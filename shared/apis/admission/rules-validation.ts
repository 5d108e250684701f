/** Rules that webhooks and policies share (k8s.io/kubernetes/pkg/apis/admissionregistration/validation): resource rules, selectors, match conditions. */
import { labelKeyErrors, nameErrors } from '../../machinery/names.ts';
import type { FieldError } from '../definition.ts';
import {
  duplicate,
  eachItem,
  invalid,
  invalidEach,
  isEmptyText,
  notSupported,
  type OwnField,
  oneOf,
  required,
  requiredOneOf,
  tooMany,
} from '../validation/fields.ts';
import { validateLabelSelector } from '../validation/selector.ts';
import { compileMatchConditions } from './policy.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
export const FAILURE_POLICIES = ['Fail', 'Ignore'];
const CONDITIONS_MAX = 64;

/** A rule of a webhook: operations, groups, versions, resources, scope. */
export function validateRule(rule: OwnField, path: string): FieldError[] {
  const { operations, apiGroups, apiVersions, resources, scope } = rule ?? {};
  return [
    ...wildcardErrors(`${path}.operations`, operations, 'operations'),
    ...eachItem(`${path}.operations`, operations, (each, at) =>
      OPERATIONS.includes(each) ? [] : [notSupported(at, each, OPERATIONS)],
    ),
    ...wildcardErrors(`${path}.apiGroups`, apiGroups, 'API groups'),
    ...wildcardErrors(`${path}.apiVersions`, apiVersions, 'API versions'),
    ...eachItem(`${path}.apiVersions`, apiVersions, (each, at) => (each === '' ? [required(at)] : [])),
    ...resourceErrors(`${path}.resources`, resources),
    ...oneOf(`${path}.scope`, scope, SCOPES),
  ];
}

function isEmptyList(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0;
}

function wildcardErrors(field: string, list: OwnField, what: string): FieldError[] {
  if (isEmptyList(list)) return [required(field)];
  const mixed = list.length > 1 && list.includes('*');
  return mixed ? [invalid(field, list, `if '*' is present, must not specify other ${what}`)] : [];
}

function resourceErrors(field: string, resources: OwnField): FieldError[] {
  if (isEmptyList(resources)) return [required(field)];
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  const errors = eachItem(field, resources, (text, at) => {
    if (text === '') return [required(at)];
    const [resource = '', subresource] = splitResource(String(text));
    if (subresource === undefined) return [];
    const found = [
      ...(wholeResources.has(resource) ? [invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`)] : []),
      ...(wholeSubresources.has(subresource)
        ? [invalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`)]
        : []),
    ];
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
    return found;
  });
  const plain = resources.some((text: unknown) => text !== '*' && text !== '' && !String(text).includes('/'));
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && plain)
    errors.push(invalid(field, resources, "if '*' is present, must not specify other resources without subresources"));
  return errors;
}

/** `pods/status` -> its two parts. */
export function splitResource(text: string): [string, string | undefined] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)];
}

/** `matchConstraints` of a policy, `matchResources` of a binding. */
export function validateMatchResources(match: OwnField, path: string): FieldError[] {
  if (!match) return [];
  return [
    ...requiredOneOf(`${path}.matchPolicy`, match.matchPolicy, MATCH_POLICIES),
    ...selectorErrors(`${path}.namespaceSelector`, match.namespaceSelector),
    ...selectorErrors(`${path}.objectSelector`, match.objectSelector),
    ...eachItem(`${path}.resourceRules`, match.resourceRules, namedRuleErrors),
    ...eachItem(`${path}.excludeResourceRules`, match.excludeResourceRules, namedRuleErrors),
  ];
}

function selectorErrors(field: string, selector: OwnField): FieldError[] {
  return selector ? validateLabelSelector(field, selector) : [required(field)];
}

function namedRuleErrors(rule: OwnField, path: string): FieldError[] {
  const names = new Set<string>();
  return [
    ...eachItem(`${path}.resourceNames`, rule?.resourceNames, (name, at) => {
      const errors = invalidEach(at, name, nameErrors('pathSegment', String(name)));
      if (names.has(name)) errors.push(duplicate(at, name));
      names.add(name);
      return errors;
    }),
    ...validateRule(rule, path),
  ];
}

export function validateMatchPolicy(field: string, value: unknown): FieldError[] {
  return oneOf(field, value, MATCH_POLICIES);
}

/** Names, and expressions that compile. `params`: whether they may look at them. */
export function validateMatchConditions(field: string, conditions: OwnField, hasParams: boolean): FieldError[] {
  if (!Array.isArray(conditions)) return [];
  const names = new Set<string>();
  const compiled = compileMatchConditions(conditions, field, hasParams);
  return [
    ...(conditions.length > CONDITIONS_MAX ? [tooMany(field, conditions.length, CONDITIONS_MAX)] : []),
    ...eachItem(field, conditions, (condition, path, index) => {
      const { name = '', expression = '' } = condition ?? {};
      const one = compiled[index];
      const errors: FieldError[] = [];
      if (String(expression).trim() === '') errors.push(required(`${path}.expression`));
      else if (one && one.error !== '') errors.push(invalid(`${path}.expression`, one.expression, one.error));
      if (isEmptyText(name)) errors.push(required(`${path}.name`));
      else errors.push(...invalidEach(`${path}.name`, name, labelKeyErrors(String(name))));
      if (name !== '' && names.has(name)) errors.push(duplicate(`${path}.name`, name));
      names.add(name);
      return errors;
    }),
  ];
}
