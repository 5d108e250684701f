/** Rules of CertificateSigningRequests (kubernetes/pkg/apis/certificates/validation). */
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import {
  duplicate,
  eachItem,
  forbidden,
  invalid,
  invalidEach,
  notSupported,
  type OwnField,
  required,
} from '../validation/fields.ts';

const USAGES = [
  'any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment', 'decipher only',
  'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel', 'ipsec user', 'key agreement',
  'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime', 'server auth', 'signing', 'timestamping',
]; // biome-ignore format: one list
const SECONDS_MIN = 600;
const SIGNER_LENGTH_MAX = 571;
/** Conditions that decide, that mean `True` alone, and that stay. */
const VERDICTS = ['Approved', 'Denied', 'Failed'];
const CERTIFICATE_HIDDEN = '<certificate data>';

export function validateSigningRequest(request: KubeObject): FieldError[] {
  const spec: OwnField = request.spec ?? {};
  return [
    ...requestErrors(spec.request),
    ...usageErrors(spec.usages),
    ...signerErrors(String(spec.signerName ?? '')),
    ...(typeof spec.expirationSeconds === 'number' && spec.expirationSeconds < SECONDS_MIN
      ? [
          invalid(
            'spec.expirationSeconds',
            spec.expirationSeconds,
            'may not specify a duration less than 600 seconds (10 minutes)',
          ),
        ]
      : []),
    ...conditionErrors(request.status?.conditions),
    ...certificateErrors(request.status?.certificate),
  ];
}

function requestErrors(request: OwnField): FieldError[] {
  const text = typeof request === 'string' ? Buffer.from(request, 'base64').toString('latin1') : '';
  if (/-----BEGIN CERTIFICATE REQUEST-----\s[\s\S]+-----END CERTIFICATE REQUEST-----/.test(text)) return [];
  return [invalid('spec.request', request ?? null, 'PEM block type must be CERTIFICATE REQUEST')];
}

function usageErrors(usages: OwnField): FieldError[] {
  if (!Array.isArray(usages) || usages.length === 0) return [required('spec.usages')];
  return eachItem('spec.usages', usages, (usage, path, index) => {
    if (!USAGES.includes(usage)) return [notSupported(path, usage, USAGES)];
    return usages.indexOf(usage) < index ? [duplicate(path, usage)] : [];
  });
}

function signerErrors(signer: string): FieldError[] {
  const field = 'spec.signerName';
  if (signer === '') return [required(field)];
  if (signer === 'kubernetes.io/legacy-unknown')
    return [invalid(field, signer, 'the legacy signerName is not allowed via this API version')];
  const parts = signer.split('/');
  const [domain = '', path = ''] = parts;
  if (parts.length !== 2)
    return [invalid(field, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  if (signer.length > SIGNER_LENGTH_MAX)
    return [{ type: 'TooLong', field, detail: `Too long: may not be more than ${SIGNER_LENGTH_MAX} bytes` }];
  const labels = domain.split('.');
  const domainErrors = labels.flatMap((label) =>
    invalidEach(
      field,
      domain,
      nameErrors('label', label).map((why) => `validating label "${label}": ${why}`),
    ),
  );
  const pathErrors = invalidEach(
    field,
    path,
    nameErrors('subdomain', path).map((why) => `validating label "${path}": ${why}`),
  );
  const short =
    labels.length < 2 ? [invalid(field, domain, 'should be a domain with at least two segments separated by dots')] : [];
  return [...short, ...domainErrors, ...pathErrors];
}

function conditionErrors(conditions: OwnField): FieldError[] {
  const seen = new Set<string>();
  const errors = eachItem('status.conditions', conditions, (condition, path) => {
    const { type = '', status = '' } = condition ?? {};
    const own: FieldError[] = [];
    if (type === '') own.push(required(`${path}.type`));
    if (status === '') own.push(required(`${path}.status`));
    else if (VERDICTS.includes(type) && status !== 'True') own.push(notSupported(`${path}.status`, status, ['True']));
    else if (!['True', 'False', 'Unknown'].includes(status))
      own.push(notSupported(`${path}.status`, status, ['False', 'True', 'Unknown']));
    if (seen.has(type)) own.push(duplicate(`${path}.type`, type));
    seen.add(type);
    return own;
  });
  if (seen.has('Approved') && seen.has('Denied')) {
    const last = [...seen].filter((type) => type === 'Approved' || type === 'Denied').at(-1);
    errors.push(invalid('status.conditions', last, 'Approved and Denied conditions are mutually exclusive'));
  }
  return errors;
}

function certificateErrors(certificate: OwnField): FieldError[] {
  if (certificate === undefined || certificate === null || certificate === '') return [];
  const text = Buffer.from(String(certificate), 'base64').toString('latin1');
  if (/-----BEGIN CERTIFICATE-----\s[\s\S]+-----END CERTIFICATE-----/.test(text)) return [];
  return [invalid('status.certificate', CERTIFICATE_HIDDEN, 'must contain at least one CERTIFICATE PEM block')];
}

/** Verdicts stay, and so does a certificate that was issued. */
export function validateSigningRequestUpdate(request: KubeObject, old: KubeObject): FieldError[] {
  const removed = VERDICTS.filter((type) => countOf(request, type) < countOf(old, type));
  const errors = removed.map((type) => forbidden('status.conditions', `updates may not remove a condition of type "${type}"`));
  const before = old.status?.certificate ?? '';
  if (before !== '' && before !== (request.status?.certificate ?? ''))
    errors.push(forbidden('status.certificate', 'updates may not modify existing certificate content'));
  return errors;
}

/** Verdicts are given through `/approval` alone: errors of a write to another part. */
export function addedVerdicts(request: KubeObject, old: KubeObject): FieldError[] {
  return ['Approved', 'Denied']
    .filter((type) => countOf(request, type) > countOf(old, type))
    .map((type) => forbidden('status.conditions', `updates may not add a condition of type "${type}"`));
}

function countOf(request: KubeObject, type: string): number {
  const conditions: OwnField = request.status?.conditions;
  return Array.isArray(conditions) ? conditions.filter((condition) => condition?.type === type).length : 0;
}

/** What was asked for stays as it was asked. */
export function keepSpec(request: KubeObject, old: KubeObject): void {
  request.spec = old.spec;
}
