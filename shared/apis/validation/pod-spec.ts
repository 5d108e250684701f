/** Rules of pods and pod templates (ValidatePodSpec and ValidatePodTemplateSpec of k8s.io/kubernetes/pkg/apis/core/validation). */
import { labelKeyErrors, labelValueErrors, nameErrors } from '../../machinery/names.ts';
import type { FieldError } from '../definition.ts';
import { validateContainers, validateInitContainers } from './containers.ts';
import {
  eachItem,
  forbidden,
  invalid,
  invalidEach,
  isEmptyText,
  notSupported,
  type OwnField,
  oneOf,
  required,
  requiredOneOf,
} from './fields.ts';
import { validateAnnotations, validateLabels } from './metadata.ts';
import { validatePodSecurityContext } from './pod-security-context.ts';
import { validateLabelSelector } from './selector.ts';
import { validateVolumes } from './volumes.ts';

const SECONDS_MAX = 2 ** 31 - 1;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Errors of a template at `field`: metadata (upstream names it without `metadata`) and spec. */
export function validatePodTemplate(field: string, template: OwnField): FieldError[] {
  const { metadata, spec } = template ?? {};
  return [
    ...validateLabels(`${field}.labels`, metadata?.labels),
    ...validateAnnotations(`${field}.annotations`, metadata?.annotations),
    ...validatePodSpec(`${field}.spec`, spec),
    ...(spec?.ephemeralContainers?.length > 0
      ? [forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}

/** Errors of a pod spec. `field` is its path. */
export function validatePodSpec(field: string, spec: OwnField): FieldError[] {
  const { errors, names } = validateVolumes(`${field}.volumes`, spec?.volumes);
  return [
    ...errors,
    ...validateContainers(`${field}.containers`, spec?.containers, names),
    ...validateInitContainers(`${field}.initContainers`, spec?.initContainers, spec?.containers, names),
    ...requiredOneOf(`${field}.restartPolicy`, spec?.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...requiredOneOf(`${field}.dnsPolicy`, spec?.dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...validateLabels(`${field}.nodeSelector`, spec?.nodeSelector),
    ...validatePodSecurityContext(`${field}.securityContext`, spec?.securityContext),
    ...nodeAffinityErrors(`${field}.affinity.nodeAffinity`, spec?.affinity?.nodeAffinity),
    ...eachItem(`${field}.topologySpreadConstraints`, spec?.topologySpreadConstraints, spreadErrors),
    ...namesOf(field, spec),
    ...deadlineErrors(`${field}.activeDeadlineSeconds`, spec?.activeDeadlineSeconds),
    ...labelsOf(field, spec),
    ...validateTolerations(`${field}.tolerations`, spec?.tolerations),
    ...oneOf(`${field}.preemptionPolicy`, spec?.preemptionPolicy, ['PreemptLowerPriority', 'Never']),
  ];
}

function namesOf(field: string, spec: OwnField): FieldError[] {
  return ['serviceAccountName', 'nodeName'].flatMap((member) =>
    isEmptyText(spec?.[member])
      ? []
      : invalidEach(`${field}.${member}`, spec[member], nameErrors('subdomain', String(spec[member]))),
  );
}

function labelsOf(field: string, spec: OwnField): FieldError[] {
  return ['hostname', 'subdomain'].flatMap((member) =>
    isEmptyText(spec?.[member]) ? [] : invalidEach(`${field}.${member}`, spec[member], nameErrors('label', String(spec[member]))),
  );
}

function deadlineErrors(field: string, seconds: unknown): FieldError[] {
  if (typeof seconds !== 'number' || (seconds >= 1 && seconds <= SECONDS_MAX)) return [];
  return [invalid(field, seconds, `must be between 1 and ${SECONDS_MAX}, inclusive`)];
}

/** Errors of a list of tolerations. */
export function validateTolerations(field: string, tolerations: unknown): FieldError[] {
  return eachItem(field, tolerations, (toleration, path) => {
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration ?? {};
    const errors = key === '' ? [] : invalidEach(`${path}.key`, key, labelKeyErrors(key));
    if (key === '' && operator !== 'Exists')
      errors.push(
        invalid(
          `${path}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    if (tolerationSeconds !== undefined && effect !== 'NoExecute')
      errors.push(invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    errors.push(...tolerationValue(operator, value, path));
    return effect === '' ? errors : [...errors, ...oneOf(`${path}.effect`, effect, EFFECTS)];
  });
}

function tolerationValue(operator: string, value: string, path: string): FieldError[] {
  const field = `${path}.operator`;
  if (operator === '' || operator === 'Equal') {
    const complaints = labelValueErrors(value);
    return complaints.length > 0 ? [invalid(field, value, complaints.join(';'))] : [];
  }
  if (operator === 'Exists')
    return value === '' ? [] : [invalid(field, value, "value must be empty when `operator` is 'Exists'")];
  return [notSupported(field, operator, ['Equal', 'Exists'])];
}

function spreadErrors(constraint: OwnField, path: string): FieldError[] {
  const { maxSkew = 0, topologyKey, whenUnsatisfiable, labelSelector } = constraint ?? {};
  return [
    ...(maxSkew > 0 ? [] : [invalid(`${path}.maxSkew`, maxSkew, 'must be greater than zero')]),
    ...(isEmptyText(topologyKey)
      ? [required(`${path}.topologyKey`, 'can not be empty')]
      : invalidEach(`${path}.topologyKey`, topologyKey, labelKeyErrors(topologyKey))),
    ...(['DoNotSchedule', 'ScheduleAnyway'].includes(whenUnsatisfiable)
      ? []
      : [notSupported(`${path}.whenUnsatisfiable`, whenUnsatisfiable ?? '', ['DoNotSchedule', 'ScheduleAnyway'])]),
    ...validateLabelSelector(`${path}.labelSelector`, labelSelector),
  ];
}

function nodeAffinityErrors(field: string, affinity: OwnField): FieldError[] {
  const requiredTerms = affinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!requiredTerms) return [];
  const at = `${field}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const terms = requiredTerms.nodeSelectorTerms;
  if (!Array.isArray(terms) || terms.length === 0) return [required(at, 'must have at least one node selector term')];
  return nodeSelectorTermErrors(at, terms);
}

/** Errors of the terms of a node selector. */
export function nodeSelectorTermErrors(field: string, terms: unknown): FieldError[] {
  return eachItem(field, terms, (term, path) =>
    eachItem(`${path}.matchExpressions`, term?.matchExpressions, nodeRequirementErrors),
  );
}

function nodeRequirementErrors(requirement: OwnField, path: string): FieldError[] {
  const { key = '', operator = '', values = [] } = requirement ?? {};
  return [...nodeOperatorErrors(operator, values.length, path), ...invalidEach(`${path}.key`, key, labelKeyErrors(key))];
}

function nodeOperatorErrors(operator: string, values: number, path: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values === 0 ? [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")] : [];
    case 'Exists':
    case 'DoesNotExist':
      return values > 0
        ? [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
        : [];
    case 'Gt':
    case 'Lt':
      return values === 1 ? [] : [required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}
