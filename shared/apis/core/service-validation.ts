/** Rules of Services (validateService of k8s.io/kubernetes/pkg/apis/core/validation). */
import { deepEqual } from '../../machinery/equality.ts';
import { labelKeyErrors, nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import { PROTOCOLS } from '../validation/containers.ts';
import {
  duplicate,
  eachItem,
  forbidden,
  invalid,
  invalidEach,
  isEmptyText,
  type OwnField,
  oneOf,
  required,
  requiredOneOf,
} from '../validation/fields.ts';
import { cidrErrors, externalIpErrors, ipErrors, portNumberErrors } from '../validation/formats.ts';
import { validateLabels } from '../validation/metadata.ts';
import { validatePort } from '../validation/probes.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const POLICIES = ['Cluster', 'Local'];
const AFFINITY_SECONDS_MAX = 86_400;
const ONLY_BALANCERS = "may only be used when `type` is 'LoadBalancer'";

export function validateService(service: KubeObject): FieldError[] {
  const spec = service.spec ?? {};
  return [
    ...addressErrors(spec),
    ...portErrors(spec),
    ...validateLabels('spec.selector', spec.selector),
    ...affinityErrors(spec),
    ...eachItem('spec.ipFamilies', spec.ipFamilies, (family, path) => oneOf(path, family, ['IPv4', 'IPv6'])),
    ...oneOf('spec.ipFamilyPolicy', spec.ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack']),
    ...eachItem('spec.externalIPs', spec.externalIPs, (ip, path) => invalidEach(path, ip, externalIpErrors(ip))),
    ...requiredOneOf('spec.type', spec.type, TYPES),
    ...balancerErrors(spec),
    ...trafficErrors(spec),
  ];
}

/** An allocated address stays for life, but for a change from or to ExternalName. */
export function validateServiceUpdate(service: KubeObject, old: KubeObject): FieldError[] {
  const ips = service.spec?.clusterIPs ?? [];
  const before = old.spec?.clusterIPs ?? [];
  if (service.spec?.type === 'ExternalName' || old.spec?.type === 'ExternalName' || before.length === 0) return [];
  return deepEqual(ips[0], before[0]) ? [] : [invalid('spec.clusterIPs[0]', ips, 'may not change once set')];
}

function addressErrors({ type, clusterIP, clusterIPs, ports, externalName }: OwnField): FieldError[] {
  if (type === 'ExternalName') return externalNameErrors(externalName, clusterIPs);
  const isHeadless = clusterIP === 'None';
  const field = 'spec.clusterIPs[0]';
  return [
    ...(ports?.length > 0 || isHeadless ? [] : [required('spec.ports')]),
    ...(isHeadless && (type === 'LoadBalancer' || type === 'NodePort')
      ? [invalid(field, 'None', `may not be set to 'None' for ${type} services`)]
      : []),
    ...(isHeadless || isEmptyText(clusterIP) ? [] : invalidEach(field, clusterIP, ipErrors(clusterIP))),
  ];
}

function externalNameErrors(externalName: unknown, clusterIPs: unknown): FieldError[] {
  const name = String(externalName ?? '').replace(/\.$/, '');
  return [
    ...(Array.isArray(clusterIPs) && clusterIPs.length > 0
      ? [forbidden('spec.clusterIPs', 'may not be set for ExternalName services')]
      : []),
    ...(name === '' ? [required('spec.externalName')] : invalidEach('spec.externalName', name, nameErrors('subdomain', name))),
  ];
}

function portErrors({ ports, type }: OwnField): FieldError[] {
  const names = new Set<string>();
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  const must = { name: ports?.length > 1 };
  return [
    ...eachItem('spec.ports', ports, (port, path) => onePort(port, path, must, names)),
    ...eachItem('spec.ports', ports, (port, path) => [
      ...(type === 'ClusterIP' && port?.nodePort
        ? [forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : []),
      ...repeated(nodePorts, port?.nodePort ? `${port.protocol}/${port.nodePort}` : '', () =>
        duplicate(`${path}.nodePort`, port.nodePort),
      ),
      ...repeated(numbers, `${port?.protocol}/${port?.port}`, () => duplicate(path, goPort(port))),
    ]),
  ];
}

/** In Go's spelling, with what makes a port unique only, as upstream prints it. */
const goPort = ({ protocol, port }: OwnField): object => ({
  Name: '',
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
});

function repeated(seen: Set<string>, key: string, error: () => FieldError): FieldError[] {
  if (key === '') return [];
  if (seen.has(key)) return [error()];
  seen.add(key);
  return [];
}

function onePort(port: OwnField, path: string, must: { name: boolean }, names: Set<string>): FieldError[] {
  const { name, port: number = 0, protocol, targetPort, appProtocol } = port ?? {};
  return [
    ...(isEmptyText(name)
      ? must.name
        ? [required(`${path}.name`)]
        : []
      : [
          ...invalidEach(`${path}.name`, name, nameErrors('label', name)),
          ...repeated(names, name, () => duplicate(`${path}.name`, name)),
        ]),
    ...invalidEach(`${path}.port`, number, portNumberErrors(number)),
    ...requiredOneOf(`${path}.protocol`, protocol, PROTOCOLS),
    ...validatePort(`${path}.targetPort`, targetPort),
    ...(appProtocol ? invalidEach(`${path}.appProtocol`, appProtocol, labelKeyErrors(appProtocol)) : []),
  ];
}

function affinityErrors({ sessionAffinity, sessionAffinityConfig }: OwnField): FieldError[] {
  const errors = requiredOneOf('spec.sessionAffinity', sessionAffinity, ['ClientIP', 'None']);
  if (sessionAffinity !== 'ClientIP') return errors;
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (typeof seconds === 'number' && seconds > 0 && seconds <= AFFINITY_SECONDS_MAX) return errors;
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  return [...errors, invalid(field, seconds, `must be greater than 0 and less than ${AFFINITY_SECONDS_MAX}`)];
}

function balancerErrors({
  type,
  loadBalancerSourceRanges,
  allocateLoadBalancerNodePorts,
  loadBalancerClass,
}: OwnField): FieldError[] {
  const isBalancer = type === 'LoadBalancer';
  const ranges = 'spec.LoadBalancerSourceRanges';
  return [
    ...(loadBalancerSourceRanges?.length > 0 && !isBalancer ? [forbidden(ranges, ONLY_BALANCERS)] : []),
    ...eachItem(ranges, loadBalancerSourceRanges, (range, path) => invalidEach(path, range, cidrErrors(String(range).trim()))),
    ...(allocateLoadBalancerNodePorts !== undefined && !isBalancer
      ? [forbidden('spec.allocateLoadBalancerNodePorts', ONLY_BALANCERS)]
      : []),
    ...(isEmptyText(loadBalancerClass)
      ? []
      : isBalancer
        ? invalidEach('spec.loadBalancerClass', loadBalancerClass, labelKeyErrors(loadBalancerClass))
        : [forbidden('spec.loadBalancerClass', ONLY_BALANCERS)]),
  ];
}

function trafficErrors({ type, externalIPs, externalTrafficPolicy, internalTrafficPolicy }: OwnField): FieldError[] {
  const isExternal = type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs?.length > 0);
  const field = 'spec.externalTrafficPolicy';
  return [
    ...(isExternal
      ? requiredOneOf(field, externalTrafficPolicy, POLICIES)
      : isEmptyText(externalTrafficPolicy)
        ? []
        : [invalid(field, externalTrafficPolicy, 'may only be set for externally-accessible services')]),
    ...oneOf('spec.internalTrafficPolicy', internalTrafficPolicy, POLICIES),
  ];
}
