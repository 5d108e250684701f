/** Schemas of KubeAdmiral's other kinds, field for field (reference: KubeAdmiral, sections 1.1, 1.2 and 1.5 to 1.9). */
import type { JsonObject } from '../../machinery/object.ts';
import {
  anyObject,
  anything,
  bool,
  choice,
  countOf,
  int64,
  listOf,
  mapList,
  mapOf,
  quantity,
  struct,
  text,
  time,
  withDefault,
} from '../custom/shape.ts';

const apiResource = (): JsonObject =>
  struct({ group: text(), 'kind*': text(), 'pluralName*': text(), 'scope*': text(), 'version*': text() });

export function federatedClusterSchema(): JsonObject {
  return struct({
    spec: struct({
      'apiEndpoint*': text(),
      insecure: bool({ default: false }),
      'secretRef*': struct({ 'name*': text() }),
      taints: listOf(struct({ 'effect*': text(), 'key*': text(), timeAdded: time(), value: text() })),
      useServiceAccount: bool({ default: false }),
    }),
    status: struct({
      apiResourceTypes: listOf(apiResource()),
      conditions: mapList(
        ['type'],
        struct({
          'lastProbeTime*': time(),
          'lastTransitionTime*': time(),
          'message*': text(),
          'reason*': text(),
          'status*': text(),
          'type*': text(),
        }),
      ),
      joinPerformed: bool(),
      resources: struct({
        allocatable: mapOf(quantity()),
        available: mapOf(quantity()),
        schedulableNodes: int64(),
      }),
    }),
  });
}

export function federatedTypeConfigSchema(): JsonObject {
  return struct({
    'spec*': struct({
      autoMigration: struct({ 'enabled*': bool() }),
      controllers: listOf(listOf(text())),
      pathDefinition: struct({
        availableReplicasStatus: text(),
        labelSelector: text(),
        readyReplicasStatus: text(),
        replicasSpec: text(),
        replicasStatus: text(),
      }),
      'sourceType*': apiResource(),
      statusAggregation: withDefault(struct({ 'enabled*': bool({ default: true }) }), { enabled: true }),
      statusCollection: struct({ 'enabled*': bool(), fields: listOf(text()) }),
    }),
    status: struct({}),
  });
}

/** FederatedObject and ClusterFederatedObject. */
export function federatedObjectSchema(): JsonObject {
  const patch = struct({ op: text(), 'path*': text(), value: anything() });
  return struct({
    'spec*': struct({
      follows: listOf(struct({ group: text(), 'kind*': text(), 'name*': text(), namespace: text() })),
      overrides: listOf(
        struct({
          'clusters*': listOf(struct({ 'cluster*': text(), patches: listOf(patch) })),
          'controller*': text(),
        }),
      ),
      placements: listOf(struct({ 'controller*': text(), 'placement*': listOf(struct({ 'cluster*': text() })) })),
      'template*': anyObject(),
    }),
    status: struct({
      clusters: listOf(struct({ 'cluster*': text(), lastObservedGeneration: int64(), 'status*': text() })),
      collisionCount: { type: 'integer', format: 'int32' },
      conditions: listOf(
        struct({
          lastTransitionTime: time(),
          lastUpdateTime: time(),
          message: text(),
          reason: text(),
          'status*': text(),
          'type*': text(),
        }),
      ),
      syncedGeneration: int64(),
    }),
  });
}

/** CollectedStatus and ClusterCollectedStatus. */
export function collectedStatusSchema(): JsonObject {
  return struct({
    'clusters*': listOf(struct({ 'cluster*': text(), collectedFields: anyObject(), error: text() })),
    'lastUpdateTime*': time(),
  });
}

/** PropagatedVersion and ClusterPropagatedVersion. */
export function propagatedVersionSchema(): JsonObject {
  return struct({
    status: struct({
      clusterVersions: listOf(struct({ 'clusterName*': text(), 'version*': text() })),
      'overridesVersion*': text(),
      'templateVersion*': text(),
    }),
  });
}

export function schedulingProfileSchema(): JsonObject {
  const plugin = (): JsonObject => struct({ name: text(), type: choice(['Webhook']), wait: countOf() });
  const pluginSet = (): JsonObject => struct({ disabled: listOf(plugin()), enabled: listOf(plugin()) });
  return struct({
    spec: struct({
      pluginConfig: listOf(struct({ args: anything(), 'name*': text() })),
      plugins: struct({ filter: pluginSet(), score: pluginSet(), select: pluginSet() }),
    }),
  });
}

export function schedulerPluginWebhookSchema(): JsonObject {
  const base64 = (): JsonObject => text({ format: 'byte' });
  return struct({
    spec: struct({
      filterPath: text(),
      httpTimeout: text({ format: 'duration', default: '5s' }),
      'payloadVersions*': listOf(text(), { minItems: 1 }),
      scorePath: text(),
      selectPath: text(),
      tlsConfig: struct({ caData: base64(), certData: base64(), insecure: bool(), keyData: base64(), serverName: text() }),
      'urlPrefix*': text(),
    }),
  });
}

/** multicluster.x-k8s.io ServiceExport. */
export function serviceExportSchema(): JsonObject {
  return struct({ status: struct({ conditions: mapList(['type'], metaCondition()) }) });
}

/** multicluster.x-k8s.io ServiceImport. */
export function serviceImportSchema(): JsonObject {
  return struct({
    spec: struct({
      ips: listOf(text(), { maxItems: 1 }),
      'ports*': listOf(
        struct({ appProtocol: text(), name: text(), 'port*': { type: 'integer', format: 'int32' }, protocol: text() }),
      ),
      sessionAffinity: text(),
      sessionAffinityConfig: struct({ clientIP: struct({ timeoutSeconds: { type: 'integer', format: 'int32' } }) }),
      'type*': choice(['ClusterSetIP', 'Headless']),
    }),
    status: struct({ clusters: mapList(['cluster'], struct({ 'cluster*': text() })) }),
  });
}

const metaCondition = (): JsonObject =>
  struct({
    lastTransitionTime: time(),
    message: text(),
    observedGeneration: int64(),
    reason: text(),
    'status*': choice(['True', 'False', 'Unknown']),
    'type*': text(),
  });
