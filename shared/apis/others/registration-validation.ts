/** Rules of APIServices (k8s.io/kube-aggregator/pkg/apis/apiregistration/validation) and RuntimeClasses (k8s.io/kubernetes/pkg/apis/node/validation). */
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import {
  duplicate,
  eachItem,
  IMMUTABLE,
  invalid,
  invalidEach,
  isEmptyText,
  type OwnField,
  required,
} from '../validation/fields.ts';
import { portNumberErrors } from '../validation/formats.ts';
import { validateLabels } from '../validation/metadata.ts';
import { validateTolerations } from '../validation/pod-spec.ts';
import { validateContainerResources } from '../validation/quantities.ts';

export function validateApiService({ metadata, spec }: KubeObject): FieldError[] {
  const { group = '', version = '', groupPriorityMinimum, versionPriority, service } = spec ?? {};
  const { insecureSkipTLSVerify: insecure, caBundle } = spec ?? {};
  const wanted = `${version}.${group}`;
  const name = metadata.name ?? '';
  return [
    ...(name === wanted
      ? []
      : [invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`)]),
    ...groupErrors(group, version),
    ...invalidEach('spec.version', version, nameErrors('label1035', version)),
    ...rangeErrors('spec.groupPriorityMinimum', groupPriorityMinimum, 20_000),
    ...rangeErrors('spec.versionPriority', versionPriority, 1000),
    ...(service ? serviceErrors(service) : []),
    ...(insecure === true && !service
      ? [invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')]
      : []),
    ...(insecure === true && service && caBundle
      ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ];
}

function groupErrors(group: string, version: string): FieldError[] {
  if (group !== '') return invalidEach('spec.group', group, nameErrors('subdomain', group));
  return version === 'v1' ? [] : [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')];
}

function rangeErrors(field: string, value: unknown, max: number): FieldError[] {
  const number = typeof value === 'number' ? value : 0;
  return number > 0 && number <= max ? [] : [invalid(field, number, `must be positive and less than ${max}`)];
}

function serviceErrors({ name, namespace, port }: OwnField): FieldError[] {
  const number = port ?? 443;
  const complaint = portNumberErrors(number).map((why) => `port is not valid: ${why}`);
  return [
    ...(isEmptyText(namespace) ? [required('spec.service.namespace')] : []),
    ...(isEmptyText(name) ? [required('spec.service.name')] : []),
    ...invalidEach('spec.service.port', number, complaint),
  ];
}

export function validateRuntimeClass({ handler = '', overhead, scheduling }: KubeObject): FieldError[] {
  return [
    ...invalidEach('handler', handler, nameErrors('label', handler)),
    ...(overhead ? validateContainerResources('overhead', { limits: overhead.podFixed }) : []),
    ...(scheduling ? schedulingErrors(scheduling) : []),
  ];
}

function schedulingErrors({ nodeSelector, tolerations }: OwnField): FieldError[] {
  const seen = new Set<string>();
  return [
    ...validateLabels('scheduling.nodeSelector', nodeSelector),
    ...validateTolerations('scheduling.tolerations', tolerations),
    ...eachItem('scheduling.tolerations', tolerations, (toleration, path) => {
      const { key = '', operator = '', value = '', effect = '', tolerationSeconds = null } = toleration ?? {};
      const shown = { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: tolerationSeconds };
      const id = JSON.stringify(shown);
      const errors = seen.has(id) ? [duplicate(path, shown)] : [];
      seen.add(id);
      return errors;
    }),
  ];
}

export function validateRuntimeClassUpdate({ handler }: KubeObject, old: KubeObject): FieldError[] {
  return handler === old.handler ? [] : [invalid('handler', handler, IMMUTABLE)];
}
