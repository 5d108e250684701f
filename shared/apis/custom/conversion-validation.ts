/** Errors of `spec.conversion` of a CustomResourceDefinition. */
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import { forbidden, invalid, notSupported, required } from '../validation/fields.ts';
import { type CrdSpec, isCrdCondition, type WebhookClientConfig } from './crd.ts';

const PATH = 'spec.conversion';
const CLIENT = `${PATH}.webhookClientConfig`;
const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

type Given = {
  strategy?: string;
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions?: string[] };
};

/** `old`: what the definition replaces; one that is established may no longer be given a bundle that is none. */
export function conversionErrors(spec: CrdSpec, _crd: KubeObject, old: KubeObject | undefined): FieldError[] {
  const conversion = spec.conversion as Given | undefined;
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  if (!strategy) return [required(`${PATH}.strategy`)];
  if (!STRATEGIES.includes(strategy)) return [notSupported(`${PATH}.strategy`, strategy, STRATEGIES)];
  if (strategy !== 'Webhook') return withoutWebhook(webhook);
  const client = webhook?.clientConfig;
  return [
    ...(client ? clientErrors(client, old) : [required(CLIENT, 'required when strategy is set to Webhook')]),
    ...versionErrors(webhook?.conversionReviewVersions ?? []),
  ];
}

function withoutWebhook(webhook: Given['webhook']): FieldError[] {
  const why = 'should not be set when strategy is not set to Webhook';
  return [
    ...(webhook?.clientConfig ? [forbidden(CLIENT, why)] : []),
    ...((webhook?.conversionReviewVersions ?? []).length > 0 ? [forbidden(`${PATH}.conversionReviewVersions`, why)] : []),
  ];
}

function clientErrors({ url, service, caBundle }: WebhookClientConfig, old: KubeObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if ((url === undefined) === (service === undefined)) errors.push(required(CLIENT, 'exactly one of url or service is required'));
  else if (url !== undefined) errors.push(...urlErrors(`${CLIENT}.url`, url));
  else if (service) errors.push(...serviceErrors(`${CLIENT}.service`, service));
  const isStrict = old !== undefined && isCrdCondition(old, 'Established');
  if (isStrict && caBundle && !Buffer.from(caBundle, 'base64').toString('latin1').includes('-----BEGIN CERTIFICATE-----'))
    errors.push(
      invalid(
        `${CLIENT}.caBundle`,
        '<redacted>',
        "unable to load root certificates: unable to parse bytes as PEM block: data doesn't contain any valid RSA or ECDSA certificates",
      ),
    );
  return errors;
}

/** Webhooks are asked by https, without credentials, query or fragment. */
function urlErrors(field: string, url: string): FieldError[] {
  if (!URL.canParse(url))
    return [required(field, `url must be a valid URL: parse ${JSON.stringify(url)}: invalid URI for request`)];
  const form = '; desired format: https://host[/path]';
  const { protocol, host, username, search, hash } = new URL(url);
  const errors: FieldError[] = [];
  if (protocol !== 'https:') errors.push(invalid(field, protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(invalid(field, host, `host must be specified${form}`));
  if (username !== '') errors.push(invalid(field, username, `user information is not permitted in the URL`));
  if (hash !== '') errors.push(invalid(field, hash.slice(1), 'fragments are not permitted in the URL'));
  if (search !== '') errors.push(invalid(field, search.slice(1), 'query parameters are not permitted in the URL'));
  return errors;
}

function serviceErrors(
  field: string,
  { name, namespace, path, port = 443 }: NonNullable<WebhookClientConfig['service']>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${field}.name`, 'service name is required'));
  if (!namespace) errors.push(required(`${field}.namespace`, 'service namespace is required'));
  if (port < 1 || port > 65_535)
    errors.push(invalid(`${field}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  if (path === undefined || path === '/') return errors;
  if (!path.startsWith('/')) return [...errors, invalid(`${field}.path`, path, "must start with a '/'")];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  for (const [index, step] of steps.entries()) {
    if (step === '') errors.push(invalid(`${field}.path`, path, `segment[${index}] may not be empty`));
    else
      for (const why of nameErrors('subdomain', step)) errors.push(invalid(`${field}.path`, path, `segment[${index}]: ${why}`));
  }
  return errors;
}

function versionErrors(versions: readonly string[]): FieldError[] {
  const field = `${PATH}.conversionReviewVersions`;
  if (versions.length === 0) return [required(field)];
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) errors.push(invalid(`${field}[${index}]`, version, 'duplicate version'));
    else for (const why of nameErrors('label1035', version)) errors.push(invalid(`${field}[${index}]`, version, why));
  }
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version)))
    errors.push(invalid(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
  return errors;
}
