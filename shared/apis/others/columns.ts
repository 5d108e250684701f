/** Columns of the small groups. */
import { formatHumanDuration } from '../../machinery/duration.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { Column } from '../definition.ts';
import { AGE, count, firstThree, integer, list, NAME, orNone, text } from '../printing/columns.ts';

/** Name and Age only. */
export const AGE_COLUMNS: readonly Column[] = [NAME, AGE];

export const LEASE_COLUMNS: readonly Column[] = [NAME, text('Holder', (lease) => lease.spec?.holderIdentity ?? ''), AGE];
export const RUNTIME_CLASS_COLUMNS: readonly Column[] = [NAME, text('Handler', (object) => object.handler ?? ''), AGE];

export const PRIORITY_CLASS_COLUMNS: readonly Column[] = [
  NAME,
  integer('Value', (object) => count(object.value)),
  { ...text('Global-Default', (object) => object.globalDefault === true), type: 'boolean' },
  AGE,
  text('PreemptionPolicy', (object) => object.preemptionPolicy ?? ''),
];

export const ENDPOINT_SLICE_COLUMNS: readonly Column[] = [
  NAME,
  text('AddressType', (slice) => slice.addressType ?? ''),
  text('Ports', (slice) => orUnset(list(slice.ports).map((port) => String(port?.port ?? port?.name ?? '*')))),
  text('Endpoints', (slice) => orUnset(list(slice.endpoints).flatMap((endpoint) => list(endpoint?.addresses)))),
  AGE,
];

function orUnset(values: readonly string[]): string {
  return values.length === 0 ? '<unset>' : firstThree(values);
}

export const SIGNING_REQUEST_COLUMNS: readonly Column[] = [
  NAME,
  AGE,
  text('SignerName', (request) => orNone(request.spec?.signerName)),
  text('Requestor', (request) => request.spec?.username ?? ''),
  text('RequestedDuration', (request) => requestedDuration(request.spec?.expirationSeconds)),
  text('Condition', signingState),
];

function requestedDuration(seconds: unknown): string {
  return typeof seconds === 'number' ? formatHumanDuration(seconds * 1000) : '<none>';
}

function signingState(request: KubeObject): string {
  const types = new Set(list(request.status?.conditions).map((condition) => condition?.type));
  const verdict = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  return [verdict, ...(types.has('Failed') ? ['Failed'] : []), ...(request.status?.certificate ? ['Issued'] : [])].join(',');
}

export const FLOW_SCHEMA_COLUMNS: readonly Column[] = [
  NAME,
  text('PriorityLevel', (schema) => schema.spec?.priorityLevelConfiguration?.name ?? ''),
  text('MatchingPrecedence', (schema) => count(schema.spec?.matchingPrecedence)),
  text('DistinguisherMethod', (schema) => orNone(schema.spec?.distinguisherMethod?.type)),
  AGE,
  text('MissingPL', (schema) => list(schema.status?.conditions).find((each) => each?.type === 'Dangling')?.status ?? '?'),
];

const queuing = (level: KubeObject): KubeObject[string] => level.spec?.limited?.limitResponse?.queuing;

export const PRIORITY_LEVEL_COLUMNS: readonly Column[] = [
  NAME,
  text('Type', (level) => level.spec?.type ?? ''),
  text('NominalConcurrencyShares', (level) => level.spec?.limited?.nominalConcurrencyShares ?? '<none>'),
  text('Queues', (level) => queuing(level)?.queues ?? '<none>'),
  text('HandSize', (level) => queuing(level)?.handSize ?? '<none>'),
  text('QueueLengthLimit', (level) => queuing(level)?.queueLengthLimit ?? '<none>'),
  AGE,
];

export const RESOURCE_CLAIM_COLUMNS: readonly Column[] = [NAME, text('State', claimState), AGE];

function claimState(claim: KubeObject): string {
  const isDeleted = Boolean(claim.metadata.deletionTimestamp);
  const states = isDeleted ? ['deleted'] : [];
  if (!claim.status?.allocation) return [...states, ...(isDeleted ? [] : ['pending'])].join(',');
  return [...states, 'allocated', ...(list(claim.status.reservedFor).length > 0 ? ['reserved'] : [])].join(',');
}

export const RESOURCE_SLICE_COLUMNS: readonly Column[] = [
  NAME,
  text('Node', (slice) => slice.spec?.nodeName ?? ''),
  text('Driver', (slice) => slice.spec?.driver ?? ''),
  text('Pool', (slice) => slice.spec?.pool?.name ?? ''),
  AGE,
];

export const API_SERVICE_COLUMNS: readonly Column[] = [
  NAME,
  text('Service', ({ spec }) => (spec?.service ? `${spec.service.namespace}/${spec.service.name}` : 'Local')),
  text('Available', availability),
  AGE,
];

function availability(service: KubeObject): string {
  const condition = list(service.status?.conditions).find((each) => each?.type === 'Available');
  if (!condition) return 'Unknown';
  return condition.status === 'True' ? 'True' : `${condition.status} (${condition.reason ?? ''})`;
}
