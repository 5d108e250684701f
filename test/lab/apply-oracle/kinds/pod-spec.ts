/** Wishes about pods: keyed lists with one and two keys, defaults in keys, atomic lists and maps, unions of volumes. */
import type { JsonObject, JsonValue } from '../../../../shared/machinery/object.ts';
import { type Random, shuffled, sometimes } from '../random.ts';
import { textList, textMap } from './meta.ts';

const IMAGES = ['registry.example/a:1', 'registry.example/a:2', 'registry.example/b:latest'];

/** The container and the volume that every pod has; others mount it. */
export const POD_BASE: JsonObject = {
  containers: [{ name: 'main', image: 'registry.example/main:1' }],
  volumes: [{ name: 'data', emptyDir: {} }],
};

export function podSpecWish(random: Random): JsonObject {
  return sometimes(random, [
    [0.75, 'containers', () => containers(random)],
    [0.2, 'volumes', () => volumes(random)],
    [0.15, 'terminationGracePeriodSeconds', () => random.pick([0, 10, 30])],
    [0.12, 'nodeSelector', () => textMap(random, ['disk', 'zone'], ['ssd', 'a'])],
    [0.15, 'tolerations', () => random.some([toleration('a'), toleration('b')], 0.6)],
    [0.12, 'imagePullSecrets', () => shuffled(random, random.some(['p', 'q'], 0.6)).map((name) => ({ name }))],
    [0.12, 'hostAliases', () => hostAliases(random)],
    [0.15, 'topologySpreadConstraints', () => spread(random)],
    [0.12, 'securityContext', () => securityContext(random)],
    [0.1, 'affinity', () => affinity(random)],
    [0.08, 'hostNetwork', () => false],
    [0.08, 'dnsPolicy', () => random.pick(['ClusterFirst', 'Default'])],
    [0.08, 'priorityClassName', () => ''],
  ]);
}

export function containers(random: Random): JsonValue {
  const names = shuffled(random, random.some(['main', 'side', 'log'], 0.55));
  return names.map((name) => container(random, name));
}

function container(random: Random, name: string): JsonObject {
  return {
    name,
    ...(name === 'main' && random.chance(0.4) ? {} : { image: random.pick(IMAGES) }),
    ...sometimes(random, [
      [0.35, 'env', () => env(random)],
      [0.3, 'ports', () => ports(random)],
      [0.3, 'resources', () => resources(random)],
      [0.2, 'args', () => random.pick<JsonValue>([['-v'], ['-v', '-x'], []])],
      [0.1, 'command', () => ['/bin/app']],
      [0.15, 'volumeMounts', () => volumeMounts(random)],
      [0.1, 'imagePullPolicy', () => random.pick(['Always', 'IfNotPresent'])],
      [
        0.1,
        'livenessProbe',
        () => ({
          httpGet: { port: random.pick<JsonValue>([80, 'web']) },
          ...sometimes(random, [[0.5, 'periodSeconds', () => 5]]),
        }),
      ],
      [0.08, 'envFrom', () => [{ configMapRef: { name: random.pick(['x', 'y']) } }]],
      [0.08, 'securityContext', () => ({ capabilities: { drop: ['ALL'] }, runAsUser: random.pick([0, 1000]) })],
      [0.05, 'workingDir', () => random.pick<JsonValue>(['/w', '', null])],
    ]),
  };
}

function env(random: Random): JsonValue {
  const entries = shuffled(random, random.some(['A', 'B', 'C'], 0.5)).map((name) => envVar(random, name));
  return entries;
}

function envVar(random: Random, name: string): JsonObject {
  if (random.chance(0.2)) return { name, valueFrom: { configMapKeyRef: { name: random.pick(['x', 'y']), key: 'k' } } };
  if (random.chance(0.1)) return { name, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };
  return { name, ...sometimes(random, [[0.85, 'value', () => random.pick(['1', '2', ''])]]) };
}

function ports(random: Random): JsonValue {
  const all: JsonObject[] = [
    { containerPort: 80, name: 'web' },
    { containerPort: 443, protocol: 'TCP' },
    { containerPort: 53, protocol: 'UDP' },
    { containerPort: 53, protocol: 'TCP', name: 'dns' },
  ];
  return shuffled(random, random.some(all, 0.4));
}

function resources(random: Random): JsonValue {
  return sometimes(random, [
    [0.6, 'limits', () => textMap(random, ['cpu', 'memory'], ['2', '3'])],
    [0.5, 'requests', () => textMap(random, ['cpu', 'memory'], ['1', '2'])],
  ]);
}

function volumeMounts(random: Random): JsonValue {
  const paths = shuffled(random, random.some(['/a', '/b'], 0.6));
  return paths.map((mountPath) => ({
    mountPath,
    name: 'data',
    ...sometimes(random, [[0.3, 'readOnly', () => random.chance(0.5)]]),
  }));
}

function volumes(random: Random): JsonValue {
  const all: JsonObject[] = [
    { name: 'conf', configMap: { name: random.pick(['x', 'y']), items: [{ key: 'k', path: 'p' }] } },
    { name: 'tmp', emptyDir: sometimes(random, [[0.5, 'medium', () => 'Memory']]) },
    { name: 'data', emptyDir: {} },
  ];
  return shuffled(random, random.some(all, 0.6));
}

function toleration(key: string): JsonObject {
  return { key, operator: 'Exists', effect: 'NoSchedule' };
}

function hostAliases(random: Random): JsonValue {
  return shuffled(random, random.some(['10.0.0.1', '10.0.0.2'], 0.6)).map((ip) => ({
    ip,
    hostnames: textList(random, ['h1', 'h2'], 0.7),
  }));
}

function spread(random: Random): JsonValue {
  const keys: [string, string][] = [
    ['zone', 'DoNotSchedule'],
    ['zone', 'ScheduleAnyway'],
    ['host', 'ScheduleAnyway'],
  ];
  return random.some(keys, 0.45).map(([topologyKey, whenUnsatisfiable]) => ({
    maxSkew: random.pick([1, 2]),
    topologyKey,
    whenUnsatisfiable,
    ...sometimes(random, [[0.5, 'labelSelector', () => ({ matchLabels: { app: random.pick(['w', 'v']) } })]]),
  }));
}

function securityContext(random: Random): JsonValue {
  return sometimes(random, [
    [0.5, 'runAsUser', () => random.pick([0, 1000])],
    [0.4, 'runAsNonRoot', () => random.chance(0.5)],
    [0.3, 'supplementalGroups', () => random.some([1, 2], 0.7)],
    [0.3, 'sysctls', () => [{ name: 'net.ipv4.ip_local_port_range', value: '1024 65535' }]],
  ]);
}

function affinity(random: Random): JsonValue {
  const expressions = [{ key: 'zone', operator: 'In', values: random.pick([['a'], ['a', 'b']]) }];
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: expressions }] } },
  };
}
