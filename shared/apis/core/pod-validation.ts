/** Rules of Pods, pod templates and ReplicationControllers as objects, and of changes to a Pod. */
import { deepEqual } from '../../machinery/equality.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import { forbidden, invalid, nonNegative, notSupported, type OwnField, required } from '../validation/fields.ts';
import { validatePodSpec, validatePodTemplate } from '../validation/pod-spec.ts';

export function validatePod(pod: KubeObject): FieldError[] {
  return validatePodSpec('spec', pod.spec);
}

export function validatePodTemplateObject(object: KubeObject): FieldError[] {
  return validatePodTemplate('template', object.template);
}

/**
 * A pod's spec stays, but for images, a shorter deadline, more tolerations and fewer scheduling gates, and for what the subresource is there to change:
 * `resize` resources, `ephemeralcontainers` those, `binding` the node.
 */
export function validatePodChange(pod: KubeObject, old: KubeObject, subresource: string): FieldError[] {
  return [...validatePod(pod), ...changeErrors(pod, old, subresource)];
}

function changeErrors(pod: KubeObject, old: KubeObject, subresource: string): FieldError[] {
  const spec = pod.spec ?? {};
  const before = old.spec ?? {};
  for (const member of ['containers', 'initContainers']) {
    if ((spec[member]?.length ?? 0) !== (before[member]?.length ?? 0))
      return [forbidden(`spec.${member}`, 'pod updates may not add or remove containers')];
  }
  return [
    ...deadlineErrors(spec.activeDeadlineSeconds, before.activeDeadlineSeconds),
    ...onlyAdded(spec.tolerations, before.tolerations),
    ...(deepEqual(fixedSpec(spec, subresource), fixedSpec(withMendedGrace(before, spec), subresource))
      ? []
      : [forbidden('spec', ONLY_THESE)]),
  ];
}

const ONLY_THESE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function deadlineErrors(seconds: unknown, before: unknown): FieldError[] {
  if (typeof before !== 'number') return [];
  const field = 'spec.activeDeadlineSeconds';
  if (typeof seconds !== 'number') return [invalid(field, seconds, 'must not update from a positive integer to nil value')];
  return seconds > before ? [invalid(field, seconds, 'must be less than or equal to previous value')] : [];
}

function onlyAdded(tolerations: OwnField[] = [], before: OwnField[] = []): FieldError[] {
  const isKept = (toleration: OwnField) =>
    tolerations.some((each) => deepEqual(withoutSeconds(each), withoutSeconds(toleration)));
  if (before.every(isKept)) return [];
  return [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function withoutSeconds({ tolerationSeconds: _seconds, ...toleration }: OwnField): OwnField {
  return toleration;
}

/** Members of a pod's spec that one subresource alone may change. */
const CHANGED_BY: Readonly<Record<string, string>> = { binding: 'nodeName', ephemeralcontainers: 'ephemeralContainers' };

/** The spec without what a change may touch. */
function fixedSpec(
  { activeDeadlineSeconds: _deadline, tolerations: _tolerations, schedulingGates: _gates, ...spec }: OwnField,
  subresource: string,
): OwnField {
  const fixedContainers = (containers: OwnField[] = []) =>
    containers.map(({ image: _image, resources, ...container }) =>
      subresource === 'resize' ? container : { ...container, resources: resources ?? {} },
    );
  const { [CHANGED_BY[subresource] ?? '']: _own, ...fixed } = spec;
  return { ...fixed, containers: fixedContainers(spec.containers), initContainers: fixedContainers(spec.initContainers) };
}

/** A grace period below zero, which old servers took, may be mended to 1. */
function withMendedGrace(before: OwnField, spec: OwnField): OwnField {
  const isMended = before.terminationGracePeriodSeconds < 0 && spec.terminationGracePeriodSeconds === 1;
  return isMended ? { ...before, terminationGracePeriodSeconds: 1 } : before;
}

export function validateReplicationController(controller: KubeObject): FieldError[] {
  const { replicas, minReadySeconds, selector = {}, template } = controller.spec ?? {};
  return [
    ...nonNegative('spec.minReadySeconds', minReadySeconds),
    ...(Object.keys(selector).length === 0 ? [required('spec.selector')] : []),
    ...nonNegative('spec.replicas', replicas),
    ...(template ? controllerTemplate(template, selector) : [required('spec.template')]),
  ];
}

function controllerTemplate(template: OwnField, selector: Record<string, string>): FieldError[] {
  const labels = template.metadata?.labels;
  const matches = Object.entries(selector).every(([key, value]) => labels?.[key] === value);
  const policy = template.spec?.restartPolicy ?? 'Always';
  return [
    ...(matches ? [] : [invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]),
    ...validatePodTemplate('spec.template', template),
    ...(policy === 'Always' ? [] : [notSupported('spec.template.spec.restartPolicy', policy, ['Always'])]),
    ...(template.spec?.activeDeadlineSeconds === undefined
      ? []
      : [
          forbidden(
            'spec.template.spec.activeDeadlineSeconds',
            'activeDeadlineSeconds in ReplicationController is not Supported',
          ),
        ]),
  ];
}
