/** Rules of `apps/v1` kinds (k8s.io/kubernetes/pkg/apis/apps/validation). */
import { deepEqual } from '../../machinery/equality.ts';
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import {
  forbidden,
  IMMUTABLE,
  invalid,
  invalidEach,
  isEmptyText,
  nonNegative,
  notSupported,
  type OwnField,
  oneOf,
  required,
} from '../validation/fields.ts';
import { percentErrors } from '../validation/formats.ts';
import { validatePodTemplate } from '../validation/pod-spec.ts';
import { isEmptySelector, selectorMatch, validateLabelSelector } from '../validation/selector.ts';

const MISMATCH = '`selector` does not match template `labels`';
const SELECTOR = 'spec.selector';
const TEMPLATE = 'spec.template';

export function validateDeployment(object: KubeObject): FieldError[] {
  const spec = object.spec ?? {};
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...selectorErrors(spec.selector, 'deployment'),
    ...templateErrors(spec, 'ReplicaSet', 'invalid label selector'),
    ...strategyErrors(spec.strategy),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...progressErrors(spec),
  ];
}

export function validateReplicaSet(object: KubeObject): FieldError[] {
  const spec = object.spec ?? {};
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    // Upstream's text says deployment here too.
    ...selectorErrors(spec.selector, 'deployment'),
    ...templateErrors(spec, 'ReplicaSet', 'invalid label selector'),
  ];
}

export function validateDaemonSet(object: KubeObject): FieldError[] {
  const spec = object.spec ?? {};
  const labels = spec.template?.metadata?.labels;
  return [
    ...validateLabelSelector(SELECTOR, spec.selector),
    ...(selectorMatch(spec.selector, labels) === 'differs' ? [invalid(`${TEMPLATE}.metadata.labels`, labels, MISMATCH)] : []),
    ...(spec.selector && isEmptySelector(spec.selector)
      ? [invalid(SELECTOR, spec.selector, 'empty selector is invalid for daemonset')]
      : []),
    ...validatePodTemplate(TEMPLATE, spec.template),
    ...alwaysRestarts(spec.template, 'DaemonSet'),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...daemonStrategyErrors(spec.updateStrategy),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
  ];
}

export function validateStatefulSet(object: KubeObject): FieldError[] {
  const spec = object.spec ?? {};
  const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return [
    ...(['OrderedReady', 'Parallel'].includes(spec.podManagementPolicy)
      ? []
      : [invalid('spec.podManagementPolicy', spec.podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")]),
    ...statefulStrategyErrors(spec.updateStrategy),
    ...oneOf('spec.persistentVolumeClaimRetentionPolicy.whenDeleted', whenDeleted, ['Retain', 'Delete']),
    ...oneOf('spec.persistentVolumeClaimRetentionPolicy.whenScaled', whenScaled, ['Retain', 'Delete']),
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.ordinals.start', spec.ordinals?.start),
    ...(isEmptyText(spec.serviceName)
      ? []
      : invalidEach('spec.serviceName', spec.serviceName, nameErrors('label', spec.serviceName))),
    ...selectorErrors(spec.selector, 'statefulset'),
    ...templateErrors({ ...spec, template: withClaimVolumes(spec) }, 'StatefulSet', ''),
  ];
}

export function validateControllerRevision(object: KubeObject): FieldError[] {
  const { data } = object;
  const errors = nonNegative('revision', object.revision);
  if (data === undefined || data === null) return [...errors, required('data', 'data is mandatory')];
  return typeof data === 'object' && !Array.isArray(data)
    ? errors
    : [...errors, required('data', 'data must be a valid JSON object')];
}

export function validateControllerRevisionUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  return deepEqual(object.data, old.data) ? [] : [invalid('data', object.data, IMMUTABLE)];
}

/** Deployments, ReplicaSets and DaemonSets keep their selector for life. */
export function validateSelectorUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const selector = object.spec?.selector;
  return deepEqual(selector, old.spec?.selector) ? [] : [invalid(SELECTOR, selector, IMMUTABLE)];
}

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export function validateStatefulSetUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const fixed = (spec: OwnField) =>
    Object.fromEntries(Object.entries(spec ?? {}).filter(([member]) => !CHANGEABLE.includes(member)));
  if (deepEqual(fixed(object.spec), fixed(old.spec))) return [];
  const names = CHANGEABLE.map((member) => `'${member}'`);
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return [forbidden('spec', `updates to statefulset spec for fields other than ${listed} are forbidden`)];
}

function selectorErrors(selector: OwnField, kind: string): FieldError[] {
  if (selector === undefined || selector === null) return [required(SELECTOR)];
  const errors = validateLabelSelector(SELECTOR, selector);
  return isEmptySelector(selector) ? [...errors, invalid(SELECTOR, selector, `empty selector is invalid for ${kind}`)] : errors;
}

/** The template by itself, and against the selector; a malformed selector leaves the template unread. */
function templateErrors(spec: OwnField, kind: string, unreadable: string): FieldError[] {
  const labels = spec.template?.metadata?.labels;
  const match = selectorMatch(spec.selector, labels);
  if (match === 'unreadable') return [invalid(SELECTOR, spec.selector, unreadable)];
  return [
    ...(match === 'differs' ? [invalid(`${TEMPLATE}.metadata.labels`, labels, MISMATCH)] : []),
    ...validatePodTemplate(TEMPLATE, spec.template),
    ...alwaysRestarts(spec.template, kind),
  ];
}

function alwaysRestarts(template: OwnField, kind: string): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  // Without a spec nothing was defaulted; what is missing then was said already.
  const policy = restartPolicy ?? 'Always';
  return [
    ...(policy === 'Always' ? [] : [notSupported(`${TEMPLATE}.spec.restartPolicy`, policy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${TEMPLATE}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

/** Claims of a StatefulSet become volumes of its pods. */
function withClaimVolumes({ template, volumeClaimTemplates }: OwnField): OwnField {
  const names = (Array.isArray(volumeClaimTemplates) ? volumeClaimTemplates : []).map((claim) => claim?.metadata?.name);
  if (names.length === 0) return template;
  const others = (template?.spec?.volumes ?? []).filter((volume: OwnField) => !names.includes(volume?.name));
  const claims = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...template?.spec, volumes: [...claims, ...others] } };
}

/** Structures in Go's spelling, as upstream prints them in these messages. */
const goStrategy = (strategy: OwnField): object => ({
  Type: strategy?.type ?? '',
  RollingUpdate: strategy?.rollingUpdate ?? null,
});

function strategyErrors(strategy: OwnField): FieldError[] {
  const field = 'spec.strategy';
  if (strategy?.type === 'Recreate')
    return strategy.rollingUpdate
      ? [forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  if (strategy?.type !== 'RollingUpdate') return [notSupported(field, goStrategy(strategy), ['Recreate', 'RollingUpdate'])];
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate ?? {};
  const at = `${field}.rollingUpdate`;
  return [
    ...validateIntOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...validateIntOrPercent(`${at}.maxSurge`, maxSurge),
    ...(amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
      ? [invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...validateAtMost100Percent(`${at}.maxUnavailable`, maxUnavailable),
  ];
}

function daemonStrategyErrors(strategy: OwnField): FieldError[] {
  const field = 'spec.updateStrategy';
  if (strategy?.type === 'OnDelete') return [];
  if (strategy?.type !== 'RollingUpdate') return [notSupported(field, goStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate ?? {};
  const at = `${field}.rollingUpdate`;
  const isUnavailable = amountOf(maxUnavailable) !== 0;
  const isSurging = amountOf(maxSurge) !== 0;
  return [
    ...validateIntOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...validateIntOrPercent(`${at}.maxSurge`, maxSurge),
    ...validateAtMost100Percent(`${at}.maxUnavailable`, maxUnavailable),
    ...validateAtMost100Percent(`${at}.maxSurge`, maxSurge),
    ...(isUnavailable && isSurging
      ? [invalid(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
    ...(!isUnavailable && !isSurging ? [required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')] : []),
  ];
}

function statefulStrategyErrors(strategy: OwnField): FieldError[] {
  const field = 'spec.updateStrategy';
  const rolling = strategy?.rollingUpdate;
  if (strategy?.type === 'OnDelete') {
    const goRolling = { Partition: rolling?.partition ?? 0, MaxUnavailable: rolling?.maxUnavailable ?? null };
    return rolling ? [invalid(`${field}.rollingUpdate`, goRolling, "only allowed for updateStrategy 'RollingUpdate'")] : [];
  }
  if (strategy?.type !== 'RollingUpdate') return [invalid(field, goStrategy(strategy), "must be 'RollingUpdate' or 'OnDelete'")];
  return nonNegative(`${field}.rollingUpdate.partition`, rolling?.partition);
}

function progressErrors({ progressDeadlineSeconds, minReadySeconds = 0 }: OwnField): FieldError[] {
  if (typeof progressDeadlineSeconds !== 'number') return [];
  const field = 'spec.progressDeadlineSeconds';
  const errors = nonNegative(field, progressDeadlineSeconds);
  return progressDeadlineSeconds <= minReadySeconds
    ? [...errors, invalid(field, progressDeadlineSeconds, 'must be greater than minReadySeconds')]
    : errors;
}

/** A count that is not negative, or a percentage. */
export function validateIntOrPercent(field: string, value: unknown): FieldError[] {
  return typeof value === 'string' ? invalidEach(field, value, percentErrors(value)) : nonNegative(field, value);
}

export function validateAtMost100Percent(field: string, value: unknown): FieldError[] {
  const isTooMuch = typeof value === 'string' && percentErrors(value).length === 0 && Number.parseInt(value, 10) > 100;
  return isTooMuch ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

function amountOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? Number.parseInt(value, 10) || 0 : 0;
}
