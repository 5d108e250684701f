/** What the Endpoints and EndpointSlices of a Service are to hold, given its pods (k8s.io/endpointslice, pkg/controller/endpoint). Pure. */
import { isHeadless } from '../../../shared/apis/core/service.ts';
import { canonicalJson } from '../../../shared/machinery/canonical.ts';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const SLICE_CONTROLLER = 'endpointslice-controller.k8s.io';
export const ENDPOINTS_MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const HEADLESS = 'service.kubernetes.io/headless';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
/** Endpoints of one slice, and addresses of one Endpoints object, as upstream bounds them. */
export const SLICE_ENDPOINTS_MAX = 100;
export const ADDRESSES_MAX = 1000;
const RESERVED = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS]);

type ServicePort = { name?: string; port: number; protocol?: string; targetPort?: number | string; appProtocol?: string };
type ContainerPort = { name?: string; containerPort: number; protocol?: string };
type Port = { name: string; port: number; protocol: string; appProtocol?: string };
type AddressType = 'IPv4' | 'IPv6';

/** One slice without its name: what it is to hold. */
export type SlicePlan = { addressType: AddressType; ports: Port[]; endpoints: JsonObject[] };

/** Pods that count: they have an address, have not ended, and are not going (unless the Service wants those too). */
export function servedPods(service: KubeObject, pods: readonly KubeObject[]): KubeObject[] {
  const includesGoing = service.spec.publishNotReadyAddresses === true;
  return pods.filter(
    ({ metadata, status }) =>
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed' &&
      (status?.podIP || status?.podIPs?.length > 0) &&
      (includesGoing || metadata.deletionTimestamp === undefined),
  );
}

/** Slices for all pods: one or more per set of ports and family; one without endpoints where there is nothing to show. `zoneOf` names a node's zone. */
export function planSlices(
  service: KubeObject,
  pods: readonly KubeObject[],
  zoneOf: (node: string) => string | undefined,
): SlicePlan[] {
  return addressTypes(service).flatMap((addressType) => {
    const groups = new Map<string, SlicePlan>();
    // Upstream shows pods that are going too, so that traffic may drain.
    for (const pod of pods.filter(hasAddress)) {
      const addresses = addressesOf(pod, addressType);
      if (addresses.length === 0) continue;
      const ports = portsOf(service, pod);
      const key = canonicalJson(ports as unknown as JsonObject[]);
      const group = groups.get(key) ?? { addressType, ports, endpoints: [] };
      group.endpoints.push(endpointOf(service, pod, addresses, zoneOf));
      groups.set(key, group);
    }
    const plans = [...groups.values()].flatMap(split);
    return plans.length > 0 ? plans : [{ addressType, ports: [], endpoints: [] }];
  });
}

function split({ addressType, ports, endpoints }: SlicePlan): SlicePlan[] {
  const count = Math.ceil(endpoints.length / SLICE_ENDPOINTS_MAX);
  return Array.from({ length: count }, (_, i) => ({
    addressType,
    ports,
    endpoints: endpoints.slice(i * SLICE_ENDPOINTS_MAX, (i + 1) * SLICE_ENDPOINTS_MAX),
  }));
}

const hasAddress = ({ status }: KubeObject): boolean =>
  status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && Boolean(status?.podIP || status?.podIPs?.length > 0);

function addressTypes({ spec }: KubeObject): AddressType[] {
  const families: string[] = spec.ipFamilies ?? [];
  if (families.length > 0) return families.map((family) => (family === 'IPv6' ? 'IPv6' : 'IPv4'));
  return [String(spec.clusterIP ?? '').includes(':') ? 'IPv6' : 'IPv4'];
}

function addressesOf({ status }: KubeObject, addressType: AddressType): string[] {
  const all: string[] = (status.podIPs ?? [{ ip: status.podIP }]).map(({ ip }: { ip?: string }) => String(ip));
  return all.filter((ip) => ip.includes(':') === (addressType === 'IPv6'));
}

function endpointOf(
  service: KubeObject,
  pod: KubeObject,
  addresses: string[],
  zoneOf: (node: string) => string | undefined,
): JsonObject {
  const { name = '', namespace = '', uid = '', deletionTimestamp } = pod.metadata;
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const nodeName: string | undefined = pod.spec?.nodeName;
  const zone = nodeName === undefined ? undefined : zoneOf(nodeName);
  const hostname = hostnameOf(service, pod);
  return {
    addresses,
    conditions: { ready: service.spec.publishNotReadyAddresses === true || (serving && !terminating), serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: 'Pod', name, namespace, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

/** Pods with a hostname are found by it below the Service that they name as their subdomain. */
function hostnameOf(service: KubeObject, { spec }: KubeObject): string | undefined {
  return spec?.hostname && spec.subdomain === service.metadata.name ? spec.hostname : undefined;
}

export function isReady({ status }: KubeObject): boolean {
  const conditions: { type?: string; status?: string }[] = status?.conditions ?? [];
  return conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
}

/** Ports of the Service as this pod has them; those that it names and the pod does not have are left out. */
function portsOf(service: KubeObject, pod: KubeObject): Port[] {
  return ((service.spec.ports ?? []) as ServicePort[]).flatMap((port) => {
    const number = findPort(pod, port);
    if (number === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol ? { appProtocol } : {}) }];
  });
}

function findPort({ spec }: KubeObject, { port, targetPort = port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort === 0 ? port : targetPort;
  const sidecars = (spec?.initContainers ?? []).filter(
    ({ restartPolicy }: { restartPolicy?: string }) => restartPolicy === 'Always',
  );
  const ports: ContainerPort[] = [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports: own = [] }) => own);
  return ports.find((each) => each.name === targetPort && (each.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** Labels of a slice: the Service's, and what says whose it is. */
export function sliceLabels(service: KubeObject): Record<string, string> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([key]) => !RESERVED.has(key));
  return {
    ...Object.fromEntries(own),
    ...(hasClusterIp(service) ? {} : { [HEADLESS]: '' }),
    [SERVICE_NAME]: service.metadata.name ?? '',
    [MANAGED_BY]: SLICE_CONTROLLER,
  };
}

const hasClusterIp = ({ spec }: KubeObject): boolean => Boolean(spec.clusterIP) && !isHeadless(spec);

/** Labels, annotations and subsets of the Endpoints object. `before` are its annotations now. */
export function planEndpoints(
  service: KubeObject,
  pods: readonly KubeObject[],
  before: Record<string, string>,
): { labels: Record<string, string>; annotations: Record<string, string>; subsets: JsonObject[] } {
  const counted = servedPods(service, pods).slice(0, ADDRESSES_MAX);
  const isCut = servedPods(service, pods).length > ADDRESSES_MAX;
  const { [OVER_CAPACITY]: _cut, ...annotations } = before;
  const { [HEADLESS]: _headless, ...labels } = service.metadata.labels ?? {};
  return {
    labels: { ...labels, ...(hasClusterIp(service) ? {} : { [HEADLESS]: '' }), [ENDPOINTS_MANAGED_BY]: 'endpoint-controller' },
    annotations: isCut ? { ...annotations, [OVER_CAPACITY]: 'truncated' } : annotations,
    subsets: subsetsOf(service, counted),
  };
}

type Subset = { addresses: JsonObject[]; notReadyAddresses: JsonObject[]; ports: Port[] };

/** One subset per set of ports, as upstream packs them; addresses in their own order. */
function subsetsOf(service: KubeObject, pods: readonly KubeObject[]): JsonObject[] {
  const subsets = new Map<string, Subset>();
  const [family] = addressTypes(service);
  for (const pod of pods) {
    const [ip] = addressesOf(pod, family ?? 'IPv4');
    const ports = portsOf(service, pod).sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
    // A Service with ports that the pod does not have does not reach it; one without ports reaches it when it is headless.
    if (ip === undefined || (ports.length === 0 && !(isHeadless(service.spec) && !service.spec.ports?.length))) continue;
    const key = canonicalJson(ports as unknown as JsonObject[]);
    const subset = subsets.get(key) ?? { addresses: [], notReadyAddresses: [], ports };
    const isServed = service.spec.publishNotReadyAddresses === true || isReady(pod);
    (isServed ? subset.addresses : subset.notReadyAddresses).push(addressOf(service, pod, ip));
    subsets.set(key, subset);
  }
  return [...subsets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, subset]) => withoutEmpty(subset));
}

function addressOf(service: KubeObject, pod: KubeObject, ip: string): JsonObject {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const hostname = hostnameOf(service, pod);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', name, namespace, uid },
  };
}

function withoutEmpty({ addresses, notReadyAddresses, ports }: Subset): JsonObject {
  const byIp = (a: JsonObject, b: JsonObject) => (String(a.ip) < String(b.ip) ? -1 : 1);
  return {
    ...(addresses.length > 0 ? { addresses: addresses.sort(byIp) } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses: notReadyAddresses.sort(byIp) } : {}),
    ...(ports.length > 0 ? { ports: ports.map(({ name, ...port }) => (name === '' ? port : { name, ...port })) } : {}),
  };
}
