/** Columns of `networking.k8s.io/v1` kinds. */
import type { KubeObject } from '../../machinery/object.ts';
import { selectorText } from '../apps/columns.ts';
import { loadBalancerAddresses } from '../core/columns.ts';
import type { Column } from '../definition.ts';
import { AGE, list, NAME, text } from '../printing/columns.ts';

const HOSTS_SHOWN_MAX = 3;

export const INGRESS_COLUMNS: readonly Column[] = [
  NAME,
  text('Class', (ingress) => ingress.spec?.ingressClassName ?? '<none>'),
  text('Hosts', hosts),
  text('Address', loadBalancerAddresses),
  text('Ports', (ingress) => (list(ingress.spec?.tls).length > 0 ? '80, 443' : '80')),
  AGE,
];

/** The first three hosts; what is left counts rules, with or without a host, as upstream. */
function hosts(ingress: KubeObject): string {
  const rules = list(ingress.spec?.rules);
  const named = rules.map((rule) => String(rule?.host ?? '')).filter((host) => host !== '');
  if (named.length === 0) return '*';
  const shown = named.slice(0, HOSTS_SHOWN_MAX).join(',');
  const third = rules.findIndex((rule, index) => countHosts(rules, index) === HOSTS_SHOWN_MAX && rule?.host);
  const isCut = third >= 0 && third < rules.length - 1;
  return isCut ? `${shown} + ${rules.length - HOSTS_SHOWN_MAX} more...` : shown;
}

function countHosts(rules: readonly KubeObject[string][], until: number): number {
  return rules.slice(0, until + 1).filter((rule) => rule?.host).length;
}

export const INGRESS_CLASS_COLUMNS: readonly Column[] = [
  NAME,
  text('Controller', (ingressClass) => ingressClass.spec?.controller ?? ''),
  text('Parameters', (ingressClass) => parameters(ingressClass.spec?.parameters)),
  AGE,
];

function parameters(reference: KubeObject[string]): string {
  if (!reference) return '<none>';
  const kind = reference.apiGroup ? `${reference.kind}.${reference.apiGroup}` : reference.kind;
  return `${kind}/${reference.name}`;
}

export const NETWORK_POLICY_COLUMNS: readonly Column[] = [
  NAME,
  text('Pod-Selector', (policy) => selectorText(policy.spec?.podSelector ?? {})),
  AGE,
];

export const SERVICE_CIDR_COLUMNS: readonly Column[] = [NAME, text('CIDRs', (cidr) => list(cidr.spec?.cidrs).join(',')), AGE];

export const IP_ADDRESS_COLUMNS: readonly Column[] = [NAME, text('ParentRef', (address) => parentOf(address.spec?.parentRef))];

function parentOf(reference: KubeObject[string]): string {
  if (!reference) return '<none>';
  const resource = reference.group ? `${reference.resource}.${reference.group}` : reference.resource;
  return `${resource}/${reference.namespace ? `${reference.namespace}/` : ''}${reference.name}`;
}
