/** Service, Ingress, NetworkPolicy and EndpointSlice: a list keyed by two fields with a default, and atomic lists. */
import type { JsonObject, JsonValue } from '../../../../shared/machinery/object.ts';
import { overlay, type Random, shuffled, sometimes } from '../random.ts';
import type { OracleKind } from './kind.ts';
import { metaOperations, metaWish, textList, textMap } from './meta.ts';

function servicePorts(random: Random): JsonValue {
  const all: JsonObject[] = [
    { name: 'web', port: 80, ...sometimes(random, [[0.5, 'targetPort', () => random.pick<JsonValue>([8080, 'http'])]]) },
    { name: 'tls', port: 443, protocol: 'TCP' },
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];
  const some = random.some(all, 0.4);
  return shuffled(random, some);
}

function loadBalancerStatus(random: Random): JsonObject {
  return { loadBalancer: { ingress: random.some(['10.2.0.1', '10.2.0.2'], 0.6).map((ip) => ({ ip })) } };
}

export const service: OracleKind = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  weight: 150,
  base: { spec: { ports: [{ name: 'base', port: 9 }] } },
  wish: (random) =>
    overlay(metaWish(random), {
      spec: sometimes(random, [
        [0.5, 'ports', () => servicePorts(random)],
        [0.35, 'selector', () => textMap(random, ['app', 'tier'], ['1', '2'])],
        [0.2, 'sessionAffinity', () => random.pick(['None', 'ClientIP'])],
        [0.15, 'type', () => 'ClusterIP'],
        [0.15, 'externalIPs', () => textList(random, ['10.3.0.1', '10.3.0.2'])],
        [0.12, 'publishNotReadyAddresses', () => random.chance(0.5)],
        [0.1, 'internalTrafficPolicy', () => random.pick(['Cluster', 'Local'])],
        [0.1, 'loadBalancerSourceRanges', () => []],
      ]),
    }),
  status: (random) => ({
    ...sometimes(random, [[0.6, 'conditions', () => random.some(['A', 'B'], 0.6).map((type) => serviceCondition(random, type))]]),
    ...sometimes(random, [[0.3, 'loadBalancer', () => ({})]]),
  }),
  operations: (random) =>
    random.chance(0.5)
      ? metaOperations(random)
      : random.pick<JsonObject[]>([
          [{ op: 'add', path: '/spec/ports/-', value: { name: 'more', port: 70, protocol: 'TCP' } }],
          [{ op: 'add', path: '/spec/selector', value: { app: '3' } }],
          [{ op: 'replace', path: '/spec/ports/0/targetPort', value: random.pick<JsonValue>([81, 'x']) }],
          [{ op: 'remove', path: '/spec/selector' }],
          [
            { op: 'test', path: '/spec/sessionAffinity', value: 'None' },
            { op: 'replace', path: '/spec/sessionAffinity', value: 'ClientIP' },
          ],
        ]),
};

function serviceCondition(random: Random, type: string): JsonObject {
  return { type, status: random.pick(['True', 'False']), reason: 'R', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' };
}

export const ingress: OracleKind = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  weight: 55,
  base: { spec: { defaultBackend: { service: { name: 'base', port: { number: 80 } } } } },
  wish: (random) =>
    overlay(metaWish(random), {
      spec: sometimes(random, [
        [0.5, 'rules', () => random.some(['a.example', 'b.example'], 0.6).map((host) => ingressRule(random, host))],
        [
          0.3,
          'tls',
          () => [{ hosts: random.pick([['a.example'], ['a.example', 'b.example']]), secretName: random.pick(['s', 't']) }],
        ],
        [0.25, 'ingressClassName', () => random.pick(['c', 'd'])],
        [
          0.3,
          'defaultBackend',
          () => ({ service: { name: random.pick(['base', 'other']), port: random.pick([{ number: 80 }, { name: 'web' }]) } }),
        ],
      ]),
    }),
  status: loadBalancerStatus,
  operations: (random) =>
    random.chance(0.6) ? metaOperations(random) : [{ op: 'add', path: '/spec/rules', value: [ingressRule(random, 'c.example')] }],
};

function ingressRule(random: Random, host: string): JsonObject {
  const backend = { service: { name: random.pick(['x', 'y']), port: { number: 80 } } };
  return { host, http: { paths: [{ path: '/', pathType: random.pick(['Prefix', 'Exact']), backend }] } };
}

export const networkPolicy: OracleKind = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  weight: 50,
  base: { spec: { podSelector: {} } },
  wish: (random) =>
    overlay(metaWish(random), {
      spec: sometimes(random, [
        [
          0.5,
          'ingress',
          () => random.some([{ ports: [{ port: 80 }] }, { from: [{ podSelector: { matchLabels: { a: 'b' } } }] }, {}], 0.5),
        ],
        [0.4, 'policyTypes', () => textList(random, ['Ingress', 'Egress'], 0.7)],
        [0.4, 'podSelector', () => ({ matchLabels: textMap(random, ['app', 'tier'], ['1', '2']) })],
        [0.3, 'egress', () => random.some([{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }], 0.7)],
      ]),
    }),
  operations: (random) =>
    random.chance(0.6)
      ? metaOperations(random)
      : [{ op: 'replace', path: '/spec/podSelector', value: { matchLabels: { app: random.pick(['1', '2']) } } }],
};

export const endpointSlice: OracleKind = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  weight: 50,
  base: { addressType: 'IPv4' },
  wish: (random) =>
    overlay(metaWish(random), {
      ...sometimes(random, [
        [
          0.7,
          'endpoints',
          () =>
            random
              .some(['10.4.0.1', '10.4.0.2'], 0.6)
              .map((ip) => ({ addresses: [ip], conditions: { ready: random.chance(0.5) } })),
        ],
        [
          0.6,
          'ports',
          () =>
            random.some(
              [
                { name: 'a', port: 80, protocol: 'TCP' },
                { name: 'b', port: 81 },
              ],
              0.6,
            ),
        ],
      ]),
    }),
  operations: (random) =>
    random.chance(0.6) ? metaOperations(random) : [{ op: 'add', path: '/endpoints', value: [{ addresses: ['10.4.0.9'] }] }],
};
