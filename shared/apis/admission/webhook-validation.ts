/** Rules of webhook configurations (k8s.io/kubernetes/pkg/apis/admissionregistration/validation, apiserver/pkg/util/webhook/validation.go). */
import { deepEqual } from '../../machinery/equality.ts';
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
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
} from '../validation/fields.ts';
import { validateLabelSelector } from '../validation/selector.ts';
import { FAILURE_POLICIES, validateMatchConditions, validateMatchPolicy, validateRule } from './rules-validation.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REINVOCATIONS = ['IfNeeded', 'Never'];
const URL_FORM = '; desired format: https://host[/path]';
const TIMEOUT_SECONDS_MAX = 30;

/** Errors of a mutating or validating configuration. */
export function validateWebhooks(configuration: KubeObject): FieldError[] {
  return webhookErrors(configuration, undefined);
}

/** What was accepted before and did not change is not looked at again. */
export function validateWebhooksChange(configuration: KubeObject, old: KubeObject): FieldError[] {
  return deepEqual(configuration.webhooks, old.webhooks) ? [] : webhookErrors(configuration, old);
}

function webhookErrors(configuration: KubeObject, old: KubeObject | undefined): FieldError[] {
  const names = new Set<string>();
  const isMutating = configuration.kind === 'MutatingWebhookConfiguration';
  return eachItem('webhooks', configuration.webhooks, (hook, path, index) => {
    const conditionsUnchanged = old !== undefined && deepEqual(hook?.matchConditions, old.webhooks?.[index]?.matchConditions);
    const errors = [
      ...hookErrors(hook, path, isMutating),
      ...clientErrors(hook?.clientConfig, `${path}.clientConfig`),
      ...(conditionsUnchanged ? [] : validateMatchConditions(`${path}.matchConditions`, hook?.matchConditions, false)),
      ...reviewVersionErrors(hook?.admissionReviewVersions, `${path}.admissionReviewVersions`),
    ];
    if (names.has(hook?.name)) errors.push(duplicate(`${path}.name`, hook.name));
    if (!isEmptyText(hook?.name)) names.add(hook.name);
    return errors;
  });
}

function hookErrors(hook: OwnField, path: string, isMutating: boolean): FieldError[] {
  const { name = '', rules, failurePolicy, matchPolicy, sideEffects, timeoutSeconds, reinvocationPolicy } = hook ?? {};
  return [
    ...qualifiedNameErrors(`${path}.name`, name),
    ...eachItem(`${path}.rules`, rules, validateRule),
    ...oneOf(`${path}.failurePolicy`, failurePolicy, FAILURE_POLICIES),
    ...validateMatchPolicy(`${path}.matchPolicy`, matchPolicy),
    ...sideEffectErrors(`${path}.sideEffects`, sideEffects),
    ...timeoutErrors(`${path}.timeoutSeconds`, timeoutSeconds),
    ...validateLabelSelector(`${path}.namespaceSelector`, hook?.namespaceSelector),
    ...validateLabelSelector(`${path}.objectSelector`, hook?.objectSelector),
    ...(isMutating ? oneOf(`${path}.reinvocationPolicy`, reinvocationPolicy, REINVOCATIONS) : []),
  ];
}

function qualifiedNameErrors(field: string, name: string): FieldError[] {
  if (isEmptyText(name)) return [required(field)];
  const errors = nameErrors('subdomain', name);
  if (errors.length > 0) return invalidEach(field, name, errors);
  return name.split('.').length < 3
    ? [invalid(field, name, 'should be a domain with at least three segments separated by dots')]
    : [];
}

function sideEffectErrors(field: string, value: unknown): FieldError[] {
  if (value === undefined || value === null) return [required(field, `must specify one of ${SIDE_EFFECTS.join(', ')}`)];
  return SIDE_EFFECTS.includes(String(value)) ? [] : [notSupported(field, value, SIDE_EFFECTS)];
}

function timeoutErrors(field: string, seconds: unknown): FieldError[] {
  if (typeof seconds !== 'number' || (seconds >= 1 && seconds <= TIMEOUT_SECONDS_MAX)) return [];
  return [invalid(field, seconds, 'the timeout value must be between 1 and 30 seconds')];
}

function reviewVersionErrors(versions: OwnField, path: string): FieldError[] {
  if (!(versions?.length > 0)) return [required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const seen = new Set<string>();
  const errors = eachItem(path, versions, (version, at) => {
    if (seen.has(version)) return [invalid(at, version, 'duplicate version')];
    seen.add(version);
    return invalidEach(at, version, nameErrors('label1035', String(version)));
  });
  const isKnown = versions.some((version: string) => REVIEW_VERSIONS.includes(version));
  return isKnown ? errors : [...errors, invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}

function clientErrors(client: OwnField, path: string): FieldError[] {
  const { url, service } = client ?? {};
  const [hasUrl, hasService] = [url !== undefined && url !== null, service !== undefined && service !== null];
  if (hasUrl === hasService) return [required(path, 'exactly one of url or service is required')];
  return hasUrl ? urlErrors(`${path}.url`, url) : serviceErrors(`${path}.service`, service);
}

/** Errors of the URL of a webhook. */
export function urlErrors(field: string, text: string): FieldError[] {
  const match = /^(?:([A-Za-z][A-Za-z\d+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(\?[^#]*)?(#.*)?$/.exec(text);
  if (!match) return [required(field, `url must be a valid URL${URL_FORM}`)];
  const [, scheme = '', authority = '', query = '', fragment = ''] = match;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  return [
    ...(scheme === 'https' ? [] : [invalid(field, scheme, `'https' is the only allowed URL scheme${URL_FORM}`)]),
    ...(host === '' ? [invalid(field, host, `host must be specified${URL_FORM}`)] : []),
    ...(at >= 0 ? [invalid(field, authority.slice(0, at), 'user information is not permitted in the URL')] : []),
    ...(fragment.length > 1 ? [invalid(field, fragment.slice(1), 'fragments are not permitted in the URL')] : []),
    ...(query.length > 1 ? [invalid(field, query.slice(1), 'query parameters are not permitted in the URL')] : []),
  ];
}

/** Errors of a reference to a Service. */
export function serviceErrors(field: string, service: OwnField): FieldError[] {
  const { name = '', namespace = '', port, path } = service ?? {};
  const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...(namespace === '' ? [required(`${field}.namespace`)] : []),
    ...(isPort ? [] : [invalid(`${field}.port`, port ?? 0, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...(isEmptyText(path) || path === '/' ? [] : pathErrors(`${field}.path`, String(path))),
  ];
}

function pathErrors(field: string, path: string): FieldError[] {
  if (path === '//') return [invalid(field, path, 'segment[0] may not be empty')];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(path.startsWith('/') ? [] : [invalid(field, path, "must start with a '/'")]),
    ...steps.flatMap((step, index) =>
      step === ''
        ? [invalid(field, path, `segment[${index}] may not be empty`)]
        : nameErrors('subdomain', step).map((why) => invalid(field, path, `segment[${index}]: ${why}`)),
    ),
  ];
}
