/** Rules of probes: one handler, sensible times. */
import type { FieldError } from '../definition.ts';
import { forbidden, invalid, invalidEach, isEmptyText, nonNegative, notSupported, type OwnField, required } from './fields.ts';
import { portNameErrors, portNumberErrors } from './formats.ts';

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;
const TIMES = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const;

/** Errors of a probe at `field`; liveness and startup succeed at the first success. */
export function validateProbe(
  field: string,
  probe: OwnField,
  kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe',
): FieldError[] {
  const errors = [...handlerErrors(field, probe), ...TIMES.flatMap((time) => nonNegative(`${field}.${time}`, probe[time]))];
  const grace = probe.terminationGracePeriodSeconds;
  if (typeof grace === 'number' && grace <= 0)
    errors.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  if (kind === 'readinessProbe') {
    if (grace !== undefined)
      errors.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'));
    return errors;
  }
  if (probe.successThreshold !== 1) errors.push(invalid(`${field}.successThreshold`, probe.successThreshold, 'must be 1'));
  return errors;
}

function handlerErrors(field: string, probe: OwnField): FieldError[] {
  const [first, ...others] = HANDLERS.filter((handler) => probe[handler] !== undefined && probe[handler] !== null);
  if (first === undefined) return [required(field, 'must specify a handler type')];
  return [
    ...CHECKS[first](probe[first], `${field}.${first}`),
    ...others.map((other) => forbidden(`${field}.${other}`, 'may not specify more than 1 handler type')),
  ];
}

const CHECKS: Record<(typeof HANDLERS)[number], (handler: OwnField, field: string) => FieldError[]> = {
  exec: ({ command }, field) => (Array.isArray(command) && command.length > 0 ? [] : [required(`${field}.command`)]),
  httpGet: ({ path, port, scheme }, field) => [
    ...(isEmptyText(path) ? [required(`${field}.path`)] : []),
    ...validatePort(`${field}.port`, port),
    ...(scheme === 'HTTP' || scheme === 'HTTPS' ? [] : [notSupported(`${field}.scheme`, scheme ?? '', ['HTTP', 'HTTPS'])]),
  ],
  tcpSocket: ({ port }, field) => validatePort(`${field}.port`, port),
  grpc: ({ port }, field) => invalidEach(`${field}.port`, port, portNumberErrors(port)),
};

/** A port by number or by name. */
export function validatePort(field: string, port: unknown): FieldError[] {
  if (typeof port === 'string') return invalidEach(field, port, portNameErrors(port));
  return invalidEach(field, port ?? 0, portNumberErrors(port));
}
