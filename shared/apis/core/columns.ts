/** Columns of core kinds, Pods apart. */
import type { KubeObject } from '../../machinery/object.ts';
import type { Column } from '../definition.ts';
import {
  AGE,
  ageOf,
  type Cell,
  count,
  firstThree,
  formatMap,
  integer,
  list,
  NAME,
  orNone,
  templateColumns,
  text,
  wide,
} from '../printing/columns.ts';

const statusOrTerminating: Cell = (object) => (object.metadata.deletionTimestamp ? 'Terminating' : (object.status?.phase ?? ''));
const size = (map: unknown): number => (typeof map === 'object' && map !== null ? Object.keys(map).length : 0);

const ACCESS_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

function accessModes(modes: unknown): string {
  const present = list(modes);
  return ACCESS_MODES.filter(([mode]) => present.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

/** The beta annotation still wins over the field, as upstream. */
function storageClass(object: KubeObject): string {
  return object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? object.spec?.storageClassName ?? '';
}

export const NAMESPACE_COLUMNS: readonly Column[] = [NAME, text('Status', (namespace) => namespace.status?.phase ?? ''), AGE];
export const CONFIG_MAP_COLUMNS: readonly Column[] = [
  NAME,
  text('Data', ({ data, binaryData }) => size(data) + size(binaryData)),
  AGE,
];
export const SECRET_COLUMNS: readonly Column[] = [
  NAME,
  text('Type', (secret) => secret.type ?? ''),
  text('Data', (secret) => size(secret.data)),
  AGE,
];
export const SERVICE_ACCOUNT_COLUMNS: readonly Column[] = [NAME, AGE];

export const POD_TEMPLATE_COLUMNS: readonly Column[] = [
  NAME,
  ...templateColumns((object) => object.template).map((column) => ({ ...column, priority: 0 })),
  text('Pod Labels', (object) => formatMap(object.template?.metadata?.labels)),
];

export const REPLICATION_CONTROLLER_COLUMNS: readonly Column[] = [
  NAME,
  integer('Desired', (object) => count(object.spec?.replicas)),
  integer('Current', (object) => count(object.status?.replicas)),
  integer('Ready', (object) => count(object.status?.readyReplicas)),
  AGE,
  ...templateColumns((object) => object.spec?.template),
  wide(text('Selector', (object) => formatMap(object.spec?.selector))),
];

export const SERVICE_COLUMNS: readonly Column[] = [
  NAME,
  text('Type', (service) => service.spec?.type ?? ''),
  text('Cluster-IP', (service) => orNone(service.spec?.clusterIPs?.[0])),
  text('External-IP', externalIp),
  text('Port(s)', servicePorts),
  AGE,
  wide(text('Selector', (service) => formatMap(service.spec?.selector))),
];

/** Addresses of a load balancer's ingress points, sorted, without repetition. */
export function loadBalancerAddresses(object: KubeObject): string {
  const points = list(object.status?.loadBalancer?.ingress).map((point) => point?.ip || point?.hostname || '');
  return [...new Set(points.filter((point) => point !== ''))].sort().join(',');
}

function externalIp(service: KubeObject): string {
  const external = list(service.spec?.externalIPs).join(',');
  switch (service.spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(external);
    case 'LoadBalancer':
      return [loadBalancerAddresses(service), external].filter((each) => each !== '').join(',') || '<pending>';
    case 'ExternalName':
      return service.spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function servicePorts(service: KubeObject): string {
  const ports = list(service.spec?.ports).map(({ port, nodePort, protocol }) =>
    count(nodePort) > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return orNone(ports.join(','));
}

export const ENDPOINTS_COLUMNS: readonly Column[] = [NAME, text('Endpoints', endpointAddresses), AGE];

function endpointAddresses({ subsets }: KubeObject): string {
  const addresses = list(subsets).flatMap((subset) => {
    const ips = list(subset?.addresses).map((address) => String(address?.ip ?? ''));
    const ports = list(subset?.ports);
    if (ports.length === 0) return ips;
    return ports.flatMap((port) => ips.map((ip) => (ip.includes(':') ? `[${ip}]:${port?.port}` : `${ip}:${port?.port}`)));
  });
  return orNone(firstThree(addresses));
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

export const NODE_COLUMNS: readonly Column[] = [
  NAME,
  text('Status', nodeStatus),
  text('Roles', nodeRoles),
  AGE,
  text('Version', (node) => node.status?.nodeInfo?.kubeletVersion ?? ''),
  wide(text('Internal-IP', (node) => nodeAddress(node, 'InternalIP'))),
  wide(text('External-IP', (node) => nodeAddress(node, 'ExternalIP'))),
  wide(text('OS-Image', (node) => node.status?.nodeInfo?.osImage || '<unknown>')),
  wide(text('Kernel-Version', (node) => node.status?.nodeInfo?.kernelVersion || '<unknown>')),
  wide(text('Container-Runtime', (node) => node.status?.nodeInfo?.containerRuntimeVersion || '<unknown>')),
];

function nodeStatus(node: KubeObject): string {
  const ready = list(node.status?.conditions).find((condition) => condition?.type === 'Ready');
  const word = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return node.spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function nodeRoles({ metadata }: KubeObject): string {
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(metadata.labels ?? {})) {
    if (label.startsWith(ROLE_PREFIX) && label.length > ROLE_PREFIX.length) roles.add(label.slice(ROLE_PREFIX.length));
    if (label === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return orNone([...roles].sort().join(','));
}

function nodeAddress(node: KubeObject, type: string): string {
  return orNone(list(node.status?.addresses).find((address) => address?.type === type)?.address);
}

const unset = (value: unknown): string => (value === undefined || value === null ? '<unset>' : String(value));

export const PERSISTENT_VOLUME_COLUMNS: readonly Column[] = [
  NAME,
  text('Capacity', (volume) => String(volume.spec?.capacity?.storage ?? '0')),
  text('Access Modes', (volume) => accessModes(volume.spec?.accessModes)),
  text('Reclaim Policy', (volume) => volume.spec?.persistentVolumeReclaimPolicy ?? ''),
  text('Status', statusOrTerminating),
  text('Claim', (volume) => claimOf(volume.spec?.claimRef)),
  text('StorageClass', storageClass),
  text('VolumeAttributesClass', (volume) => unset(volume.spec?.volumeAttributesClassName)),
  text('Reason', (volume) => volume.status?.reason ?? ''),
  AGE,
  wide(text('VolumeMode', (volume) => unset(volume.spec?.volumeMode))),
];

function claimOf(claim: KubeObject[string]): string {
  return claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '';
}

const isBound = (claim: KubeObject): boolean => Boolean(claim.spec?.volumeName);

export const PERSISTENT_VOLUME_CLAIM_COLUMNS: readonly Column[] = [
  NAME,
  text('Status', statusOrTerminating),
  text('Volume', (claim) => claim.spec?.volumeName ?? ''),
  text('Capacity', (claim) => (isBound(claim) ? String(claim.status?.capacity?.storage ?? '0') : '')),
  text('Access Modes', (claim) => (isBound(claim) ? accessModes(claim.status?.accessModes) : '')),
  text('StorageClass', storageClass),
  text('VolumeAttributesClass', (claim) => unset(claim.spec?.volumeAttributesClassName)),
  AGE,
  wide(text('VolumeMode', (claim) => unset(claim.spec?.volumeMode))),
];

export const RESOURCE_QUOTA_COLUMNS: readonly Column[] = [
  NAME,
  text('Request', (quota) => quotaUse(quota, (resource) => !resource.startsWith('limits.'))),
  text('Limit', (quota) => quotaUse(quota, (resource) => resource.startsWith('limits.'))),
  AGE,
];

function quotaUse(quota: KubeObject, isShown: (resource: string) => boolean): string {
  const { hard = {}, used = {} } = quota.status ?? {};
  const resources = Object.keys(hard).filter(isShown).sort();
  return resources.map((resource) => `${resource}: ${used[resource] ?? '0'}/${hard[resource]}`).join(', ');
}

export const EVENT_COLUMNS: readonly Column[] = [
  text('Last Seen', (event, now) => ageOf(event.series?.lastObservedTime ?? event.lastTimestamp ?? firstSeen(event), now)),
  text('Type', (event) => event.type ?? ''),
  text('Reason', (event) => event.reason ?? ''),
  text('Object', eventObject),
  wide(text('Subobject', (event) => event.involvedObject?.fieldPath ?? '')),
  wide(text('Source', eventSource)),
  text('Message', (event) => String(event.message ?? '').trim()),
  wide(text('First Seen', (event, now) => ageOf(firstSeen(event), now))),
  // A number in a text column, as upstream.
  wide(text('Count', (event) => count(event.series?.count) || count(event.count) || 1)),
  wide(NAME),
];

function firstSeen(event: KubeObject): unknown {
  return event.firstTimestamp ?? event.eventTime;
}

function eventObject(event: KubeObject): string {
  const { kind = '', name } = event.involvedObject ?? {};
  return name ? `${String(kind).toLowerCase()}/${name}` : String(kind).toLowerCase();
}

function eventSource(event: KubeObject): string {
  const component = event.source?.component || event.reportingComponent || '';
  const instance = event.source?.host || event.reportingInstance || '';
  return instance === '' ? component : `${component}, ${instance}`;
}
