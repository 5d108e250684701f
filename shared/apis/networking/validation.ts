/** Rules of `networking.k8s.io/v1` kinds (k8s.io/kubernetes/pkg/apis/networking/validation). */
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import {
  eachItem,
  forbidden,
  IMMUTABLE,
  invalid,
  invalidEach,
  isEmptyText,
  notSupported,
  type OwnField,
  oneOf,
  required,
} from '../validation/fields.ts';
import { cidrErrors, portNameErrors, portNumberErrors, wildcardDomainErrors } from '../validation/formats.ts';
import { isIP, isStrictSubnet } from '../validation/ip.ts';
import { validateLabelSelector } from '../validation/selector.ts';
import { ingressControllerErrors, ingressParameterErrors } from './address-validation.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const PATH_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const PATH_SUFFIXES = ['/..', '/.'];

export function validateIngress(ingress: KubeObject): FieldError[] {
  const { rules, defaultBackend, tls, ingressClassName } = ingress.spec ?? {};
  return [
    ...(rules?.length > 0 || defaultBackend
      ? []
      : [invalid('spec', null, 'either `defaultBackend` or `rules` must be specified')]),
    ...(defaultBackend ? backendErrors('spec.defaultBackend', defaultBackend) : []),
    ...eachItem('spec.rules', rules, (rule, path) => [
      ...hostErrors(`${path}.host`, rule?.host),
      ...(rule?.http ? pathsErrors(`${path}.http.paths`, rule.http.paths) : []),
    ]),
    ...eachItem('spec.tls', tls, (entry, path) => [
      ...eachItem(`${path}.hosts`, entry?.hosts, (host, at) => domainErrors(at, String(host))),
      ...(entry?.secretName
        ? invalidEach(`${path}.secretName`, entry.secretName, nameErrors('subdomain', entry.secretName))
        : []),
    ]),
    ...(ingressClassName === undefined
      ? []
      : invalidEach('spec.ingressClassName', ingressClassName, nameErrors('subdomain', ingressClassName))),
  ];
}

function hostErrors(field: string, host: unknown): FieldError[] {
  if (isEmptyText(host)) return [];
  const errors = isIP(String(host)) ? [invalid(field, host, 'must be a DNS name, not an IP address')] : [];
  return [...errors, ...domainErrors(field, String(host))];
}

function domainErrors(field: string, host: string): FieldError[] {
  return invalidEach(field, host, host.includes('*') ? wildcardDomainErrors(host) : nameErrors('subdomain', host));
}

function pathsErrors(field: string, paths: unknown): FieldError[] {
  if (!Array.isArray(paths) || paths.length === 0) return [required(field)];
  return eachItem(field, paths, (entry, path) => {
    const { pathType, backend } = entry ?? {};
    if (pathType === undefined) return [required(`${path}.pathType`, 'pathType must be specified')];
    return [...pathErrors(path, entry), ...backendErrors(`${path}.backend`, backend)];
  });
}

function pathErrors(at: string, { pathType, path = '' }: OwnField): FieldError[] {
  const field = `${at}.path`;
  const relative = path.startsWith('/') ? [] : [invalid(field, path, 'must be an absolute path')];
  if (pathType === 'ImplementationSpecific') return path === '' ? [] : relative;
  if (!PATH_TYPES.includes(pathType)) return [notSupported(`${at}.pathType`, pathType, PATH_TYPES)];
  return [
    ...relative,
    ...PATH_SEQUENCES.filter((text) => path.includes(text)).map((text) => invalid(field, path, `must not contain '${text}'`)),
    ...PATH_SUFFIXES.filter((text) => path.endsWith(text)).map((text) => invalid(field, path, `cannot end with '${text}'`)),
  ];
}

function backendErrors(field: string, backend: OwnField): FieldError[] {
  const { resource, service } = backend ?? {};
  if (resource && service) return [invalid(field, '', 'cannot set both resource and service backends')];
  if (resource)
    return ['kind', 'name']
      .filter((member) => isEmptyText(resource[member]))
      .map((member) => required(`${field}.resource.${member}`));
  if (!service) return [invalid(field, '', 'resource or service backend is required')];
  const name = isEmptyText(service.name)
    ? [required(`${field}.service.name`)]
    : invalidEach(`${field}.service.name`, service.name, nameErrors('label1035', service.name));
  return [...name, ...backendPortErrors(field, service.port)];
}

function backendPortErrors(field: string, port: OwnField): FieldError[] {
  const { name, number } = port ?? {};
  if (name && number) return [invalid(field, '', 'cannot set both port name & port number')];
  if (name) return invalidEach(`${field}.service.port.name`, name, portNameErrors(name));
  if (number) return invalidEach(`${field}.service.port.number`, number, portNumberErrors(number));
  return [required(field, 'port name or number is required')];
}

export function validateIngressClass(ingressClass: KubeObject): FieldError[] {
  const { controller, parameters } = ingressClass.spec ?? {};
  return [
    ...(isEmptyText(controller) ? [required('spec.controller')] : ingressControllerErrors(String(controller))),
    ...ingressParameterErrors(parameters),
  ];
}

export function validateIngressClassUpdate(ingressClass: KubeObject, old: KubeObject): FieldError[] {
  const controller = ingressClass.spec?.controller;
  return controller === old.spec?.controller ? [] : [invalid('spec.controller', controller, IMMUTABLE)];
}

export function validateNetworkPolicy(policy: KubeObject): FieldError[] {
  const { podSelector, ingress, egress, policyTypes } = policy.spec ?? {};
  return [
    ...validateLabelSelector('spec.podSelector', podSelector),
    ...eachItem('spec.ingress', ingress, (rule, path) => ruleErrors(path, rule?.ports, `${path}.from`, rule?.from)),
    ...eachItem('spec.egress', egress, (rule, path) => ruleErrors(path, rule?.ports, `${path}.to`, rule?.to)),
    ...eachItem('spec.policyTypes', policyTypes, (type, path) => oneOf(path, type, ['Ingress', 'Egress'])),
  ];
}

function ruleErrors(path: string, ports: unknown, peersPath: string, peers: unknown): FieldError[] {
  return [...eachItem(`${path}.ports`, ports, policyPortErrors), ...eachItem(peersPath, peers, peerErrors)];
}

function policyPortErrors({ protocol, port, endPort }: OwnField, path: string): FieldError[] {
  const errors = oneOf(`${path}.protocol`, protocol, ['TCP', 'UDP', 'SCTP']);
  const end = `${path}.endPort`;
  if (port === undefined)
    return endPort === undefined
      ? errors
      : [...errors, invalid(end, endPort, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string') {
    if (endPort !== undefined) errors.push(invalid(end, endPort, 'may not be specified when `port` is non-numeric'));
    return [...errors, ...invalidEach(`${path}.port`, port, portNameErrors(port))];
  }
  errors.push(...invalidEach(`${path}.port`, port, portNumberErrors(port)));
  if (endPort === undefined) return errors;
  if (endPort < port) errors.push(invalid(end, port, 'must be greater than or equal to `port`'));
  return [...errors, ...invalidEach(end, endPort, portNumberErrors(endPort))];
}

function peerErrors(peer: OwnField, path: string): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer ?? {};
  const errors = [
    ...validateLabelSelector(`${path}.podSelector`, podSelector),
    ...validateLabelSelector(`${path}.namespaceSelector`, namespaceSelector),
    ...(ipBlock ? blockErrors(`${path}.ipBlock`, ipBlock) : []),
  ];
  if (!podSelector && !namespaceSelector && !ipBlock) return [...errors, required(path, 'must specify a peer')];
  const isBoth = ipBlock && (podSelector || namespaceSelector);
  return isBoth ? [...errors, forbidden(path, 'may not specify both ipBlock and another peer')] : errors;
}

function blockErrors(field: string, { cidr, except }: OwnField): FieldError[] {
  if (isEmptyText(cidr)) return [required(`${field}.cidr`)];
  const errors = invalidEach(`${field}.cidr`, cidr, cidrErrors(cidr));
  if (errors.length > 0) return errors;
  return eachItem(`${field}.except`, except, (inner, path) => {
    const complaints = cidrErrors(inner);
    if (complaints.length > 0) return invalidEach(path, inner, complaints);
    return isStrictSubnet(inner, cidr) ? [] : [invalid(path, inner, 'must be a strict subset of `cidr`')];
  });
}
