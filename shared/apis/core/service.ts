/**
 * What the API server allocates for a Service. There is no allocator here: addresses and node ports follow from the uid, so that Services
 * look real and keep their values. Two Services may get the same ones; real allocation is the member's.
 */

import { fnv1a_32 } from '../../machinery/fnv.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { fill, forEachStruct, type Struct, struct } from '../defaults/fill.ts';

/** 10.96.0.0/12, without its first 256 addresses, which kube-apiserver keeps for fixed ones. */
const SERVICE_RANGE_START = 0x0a600000;
const SERVICE_RANGE_BITS = 20;
const FIXED_ADDRESSES = 256;
/** 30000-32767. */
const NODE_PORT_MIN = 30_000;
const NODE_PORTS = 2768;

const NAMED_NOTHING = 'None';

/** Fills clusterIP, clusterIPs, families and node ports of a Service that is created; needs its uid. */
export function allocateService(service: KubeObject): void {
  const spec = struct(service, 'spec');
  if (spec.type === 'ExternalName') return;
  if (!spec.clusterIP) spec.clusterIP = spec.clusterIPs?.[0] || addressOf(service.metadata.uid ?? '');
  fill(spec, {
    clusterIPs: () => [spec.clusterIP],
    ipFamilies: () => [String(spec.clusterIP).includes(':') ? 'IPv6' : 'IPv4'],
    ipFamilyPolicy: 'SingleStack',
  });
  allocateNodePorts(service.metadata.uid ?? '', spec);
}

/** A change keeps what was allocated where the new object does not say; a change of type gives it back or asks for more. */
export function reallocateService(service: KubeObject, old: KubeObject): void {
  const spec = struct(service, 'spec');
  const before: Struct = old.spec ?? {};
  dropForOtherType(spec, before);
  if (spec.type === 'ExternalName') {
    releaseCluster(spec, before);
    return;
  }
  if (before.type !== 'ExternalName') fill(spec, keptCluster(before));
  if (spec.clusterIP === '' && before.clusterIP) spec.clusterIP = before.clusterIP;
  keepNodePorts(spec, before);
  if (!needsNodePorts(spec)) releaseNodePorts(spec, before);
  allocateService(service);
}

/** What only the old type could have goes with it, unless the user changed it at once: then validation judges (dropTypeDependentFields). */
function dropForOtherType(spec: Struct, before: Struct): void {
  if (isExternal(before) && !isExternal(spec) && spec.externalTrafficPolicy === before.externalTrafficPolicy)
    delete spec.externalTrafficPolicy;
  if (before.type !== 'LoadBalancer' || spec.type === 'LoadBalancer') return;
  for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass'])
    if (spec[field] === before[field]) delete spec[field];
}

function isExternal({ type, externalIPs }: Struct): boolean {
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs?.length > 0);
}

function keptCluster({ clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy }: Struct): Record<string, unknown> {
  const kept = { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy };
  return structuredClone(Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)));
}

/** Values that only repeat what was allocated before go; others are the user's, for validation to judge. */
function releaseCluster(spec: Struct, before: Struct): void {
  if (spec.clusterIP === before.clusterIP) {
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) delete spec[field];
  }
  releaseNodePorts(spec, before);
}

function keepNodePorts(spec: Struct, before: Struct): void {
  if (!needsNodePorts(spec)) return;
  const ports: Struct[] = before.ports ?? [];
  forEachStruct(spec.ports, (port) => {
    const same = ports.find((each) => each.port === port.port && each.protocol === port.protocol);
    if (same?.nodePort && !port.nodePort) port.nodePort = same.nodePort;
  });
}

function releaseNodePorts(spec: Struct, before: Struct): void {
  if (needsNodePorts(spec)) return;
  const allocated = new Set((before.ports ?? []).map((port: Struct) => port.nodePort));
  forEachStruct(spec.ports, (port) => {
    if (allocated.has(port.nodePort)) delete port.nodePort;
  });
}

function needsNodePorts({ type, allocateLoadBalancerNodePorts }: Struct): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
}

function allocateNodePorts(uid: string, spec: Struct): void {
  if (!needsNodePorts(spec)) return;
  const taken = new Set((spec.ports ?? []).map((port: Struct) => port.nodePort));
  forEachStruct(spec.ports, (port) => {
    if (port.nodePort) return;
    let candidate = fnv1a_32(`${uid}/${port.protocol}/${port.port}`) % NODE_PORTS;
    while (taken.has(NODE_PORT_MIN + candidate)) candidate = (candidate + 1) % NODE_PORTS;
    port.nodePort = NODE_PORT_MIN + candidate;
    taken.add(port.nodePort);
  });
}

function addressOf(uid: string): string {
  const host = FIXED_ADDRESSES + (fnv1a_32(uid) % (2 ** SERVICE_RANGE_BITS - FIXED_ADDRESSES - 1));
  const address = SERVICE_RANGE_START + host;
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}

/** `clusterIP: None`: the Service has no address of its own. */
export function isHeadless(spec: Struct): boolean {
  return spec?.clusterIP === NAMED_NOTHING;
}
