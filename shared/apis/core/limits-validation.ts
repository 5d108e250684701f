/** Rules of LimitRanges and ResourceQuotas (k8s.io/kubernetes/pkg/apis/core/validation). */
import { labelKeyErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import {
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  quantityToMilli,
  quantityToNumber,
} from '../../machinery/quantity.ts';
import type { FieldError } from '../definition.ts';
import {
  duplicate,
  eachItem,
  forbidden,
  IMMUTABLE,
  invalid,
  invalidEach,
  type OwnField,
  required,
} from '../validation/fields.ts';
import { amountValueErrors, containerResourceNameErrors } from '../validation/quantities.ts';

type Amounts = Record<string, string>;

const LIMIT_TYPES = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

export function validateLimitRange(range: KubeObject): FieldError[] {
  const seen = new Set<string>();
  return eachItem('spec.limits', range.spec?.limits, (item, path) => {
    const type = String(item?.type ?? '');
    const errors = [...limitTypeErrors(`${path}.type`, type), ...(seen.has(type) ? [duplicate(`${path}.type`, type)] : [])];
    seen.add(type);
    return [...errors, ...itemErrors(item ?? {}, type, path)];
  });
}

function limitTypeErrors(field: string, type: string): FieldError[] {
  const errors = invalidEach(field, type, labelKeyErrors(type));
  if (errors.length > 0 || type.includes('/') || LIMIT_TYPES.has(type)) return errors;
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

function itemErrors(item: OwnField, type: string, path: string): FieldError[] {
  const { max = {}, min = {}, default: limits = {}, defaultRequest = {}, maxLimitRequestRatio: ratios = {} } = item;
  const isClaim = type === 'PersistentVolumeClaim';
  const isPod = type === 'Pod';
  const names = new Set([...Object.keys(max), ...Object.keys(min), ...Object.keys(ratios)]);
  const defaulted = isPod ? [] : [...Object.keys(limits), ...Object.keys(defaultRequest)];
  for (const name of defaulted) names.add(name);
  const forPods = "may not be specified when `type` is 'Pod'";
  const own: [string, Amounts][] = [
    ['max', max],
    ['min', min],
    ...(isPod
      ? []
      : ([
          ['default', limits],
          ['defaultRequest', defaultRequest],
        ] as [string, Amounts][])),
    ['maxLimitRequestRatio', ratios],
  ];
  return [
    ...own.flatMap(([member, amounts]) => nameErrors(`${path}.${member}`, amounts)),
    ...(isPod && Object.keys(limits).length > 0 ? [forbidden(`${path}.default`, forPods)] : []),
    ...(isPod && Object.keys(defaultRequest).length > 0 ? [forbidden(`${path}.defaultRequest`, forPods)] : []),
    ...(isClaim && max.storage === undefined && min.storage === undefined
      ? [required(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided')]
      : []),
    ...[...names].flatMap((name) => orderErrors(item, name, path)),
  ];
}

function nameErrors(field: string, amounts: Amounts): FieldError[] {
  return Object.keys(amounts).flatMap((name) => containerResourceNameErrors(`${field}[${name}]`, name));
}

const at = (amounts: OwnField, name: string): string | undefined =>
  amounts && Object.hasOwn(amounts, name) ? String(amounts[name]) : undefined;

const exceeds = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && compareQuantities(parseQuantity(a), parseQuantity(b)) > 0;

/** min <= defaultRequest <= default <= max. The value that is shown is not always the one that is wrong, as upstream has it. */
function orderErrors(item: OwnField, name: string, path: string): FieldError[] {
  const [min, max] = [at(item.min, name), at(item.max, name)];
  const [request, limit] = [at(item.defaultRequest, name), at(item.default, name)];
  const errors: FieldError[] = [];
  const complain = (member: string, shown: string | undefined, why: string) =>
    errors.push(invalid(`${path}.${member}[${name}]`, shown, why));
  if (exceeds(min, max)) complain('min', min, `min value ${min} is greater than max value ${max}`);
  if (exceeds(min, request))
    complain('defaultRequest', request, `min value ${min} is greater than default request value ${request}`);
  if (exceeds(request, max))
    complain('defaultRequest', request, `default request value ${request} is greater than max value ${max}`);
  if (exceeds(request, limit))
    complain('defaultRequest', request, `default request value ${request} is greater than default limit value ${limit}`);
  if (exceeds(min, limit)) complain('default', min, `min value ${min} is greater than default value ${limit}`);
  if (exceeds(limit, max)) complain('default', max, `default value ${limit} is greater than max value ${max}`);
  return [
    ...errors,
    ...ratioErrors(at(item.maxLimitRequestRatio, name), { min, max, field: `${path}.maxLimitRequestRatio[${name}]` }),
  ];
}

function ratioErrors(
  ratio: string | undefined,
  { min, max, field }: { min: string | undefined; max: string | undefined; field: string },
): FieldError[] {
  if (ratio === undefined) return [];
  const shown = canonicalQuantity(ratio);
  const errors = exceeds('1', ratio) ? [invalid(field, shown, `ratio ${shown} is less than 1`)] : [];
  if (min === undefined || max === undefined) return errors;
  const most = quantityToNumber(parseQuantity(max)) / quantityToNumber(parseQuantity(min));
  if (quantityToNumber(parseQuantity(ratio)) <= most) return errors;
  return [...errors, invalid(field, shown, `ratio ${shown} is greater than max/min = ${most.toFixed(6)}`)];
}

/** What is counted in wholes, beside `count/...`. */
const OBJECTS = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const AMOUNTS = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);

export function validateResourceQuota({ spec }: KubeObject): FieldError[] {
  const hard = (spec?.hard ?? {}) as Amounts;
  return [
    ...Object.entries(hard).flatMap(([name, amount]) => [
      ...quotaNameErrors(`spec.hard[${name}]`, name),
      ...quotaAmountErrors(`spec.hard[${name}]`, name, amount),
    ]),
    ...scopesErrors(spec?.scopes, Object.keys(hard)),
    ...scopeSelectorErrors(spec?.scopeSelector, Object.keys(hard)),
  ];
}

function quotaNameErrors(field: string, name: string): FieldError[] {
  const errors = invalidEach(field, name, labelKeyErrors(name));
  if (name.includes('/')) return errors;
  const isKnown =
    OBJECTS.has(name) || AMOUNTS.has(name) || name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');
  if (isKnown) return errors;
  const complaint = invalid(field, name, 'must be a standard resource for quota');
  return errors.length > 0
    ? [...errors, complaint]
    : [invalid(field, name, 'must be a standard resource type or fully qualified'), complaint];
}

function quotaAmountErrors(field: string, name: string, amount: string): FieldError[] {
  if (!OBJECTS.has(name)) return amountValueErrors(field, name.startsWith('requests.') ? '' : name, amount);
  const isWhole = quantityToMilli(parseQuantity(String(amount))) % 1000 === 0;
  const errors = amountValueErrors(field, '', amount);
  return isWhole ? errors : [...errors, invalid(field, canonicalQuantity(String(amount)), 'must be an integer')];
}

const CONFLICTS: readonly (readonly [string, string])[] = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const SCOPES = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
]);
/** Pods are all that most scopes speak of; only amounts of pods that have them fit NotBestEffort and its like. */
const BEST_EFFORT = new Set(['pods']);
const WITH_AMOUNTS = new Set([
  'pods',
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
  'ephemeral-storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
]);

function fits(scope: string, name: string): boolean {
  if (scope === 'BestEffort') return BEST_EFFORT.has(name);
  if (scope === 'VolumeAttributesClass') return name === 'persistentvolumeclaims' || name.endsWith('storage');
  return !SCOPES.has(scope) || WITH_AMOUNTS.has(name) || name.includes('/') || name.includes('hugepages-');
}

function scopesErrors(scopes: OwnField, names: readonly string[]): FieldError[] {
  if (!Array.isArray(scopes)) return [];
  const field = 'spec.scopes';
  return [
    ...scopes.flatMap((scope: string) => [
      ...(SCOPES.has(scope) ? [] : [invalid(field, scopes, 'unsupported scope')]),
      ...names.filter((name) => !fits(scope, name)).map(() => invalid(field, scopes, 'unsupported scope applied to resource')),
    ]),
    ...(isConflicting(scopes) ? [invalid(field, scopes, 'conflicting scopes')] : []),
  ];
}

const isConflicting = (scopes: readonly string[]) =>
  CONFLICTS.some(([one, other]) => scopes.includes(one) && scopes.includes(other));

const EXISTS_ONLY =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function scopeSelectorErrors(selector: OwnField, names: readonly string[]): FieldError[] {
  if (!selector) return [];
  const field = 'spec.scopeSelector.matchExpressions';
  const expressions: OwnField[] = Array.isArray(selector.matchExpressions) ? selector.matchExpressions : [];
  const scopes = expressions.map((expression) => String(expression?.scopeName ?? ''));
  return [
    ...expressions.flatMap((expression) => expressionErrors(field, expression, names)),
    ...(isConflicting(scopes) ? [invalid(field, scopes, 'conflicting scopes')] : []),
  ];
}

function expressionErrors(field: string, expression: OwnField, names: readonly string[]): FieldError[] {
  const { scopeName: scope = '', operator = '', values } = expression ?? {};
  const count = Array.isArray(values) ? values.length : 0;
  const errors = SCOPES.has(scope) ? [] : [invalid(`${field}.scopeName`, scope, 'unsupported scope')];
  for (const name of names)
    if (!fits(scope, name)) errors.push(invalid(field, expression, 'unsupported scope applied to resource'));
  const hasValues = scope === 'PriorityClass' || scope === 'VolumeAttributesClass';
  if (SCOPES.has(scope) && !hasValues && operator !== 'Exists') errors.push(invalid(`${field}.operator`, operator, EXISTS_ONLY));
  return [...errors, ...operatorErrors(field, operator, { count, values })];
}

function operatorErrors(field: string, operator: string, { count, values }: { count: number; values: OwnField }): FieldError[] {
  const at = `${field}.values`;
  if (operator === 'In' || operator === 'NotIn')
    return count > 0 ? [] : [required(at, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")];
  if (operator === 'Exists' || operator === 'DoesNotExist')
    return count === 0
      ? []
      : [invalid(at, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector")];
  return [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
}

export function validateResourceQuotaUpdate({ spec }: KubeObject, old: KubeObject): FieldError[] {
  const sorted = (scopes: OwnField) => JSON.stringify([...(scopes ?? [])].sort());
  return sorted(spec?.scopes) === sorted(old.spec?.scopes) ? [] : [invalid('spec.scopes', spec?.scopes, IMMUTABLE)];
}
