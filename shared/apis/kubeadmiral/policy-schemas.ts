/** Schemas of the propagation and override policies, field for field (reference: KubeAdmiral, sections 1.3 and 1.4). */
import type { JsonObject } from '../../machinery/object.ts';
import { anything, bool, choice, countOf, int64, listOf, mapOf, struct, text, withDefault } from '../custom/shape.ts';

const requirement = (): JsonObject =>
  struct({
    'key*': text(),
    'operator*': choice(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
    'values*': listOf(text()),
  });

const clusterAffinity = (): JsonObject =>
  listOf(struct({ matchExpressions: listOf(requirement()), matchFields: listOf(requirement()) }));

const toleration = (): JsonObject =>
  struct({ effect: text(), key: text(), operator: text(), tolerationSeconds: int64(), value: text() });

/** `status` of every policy: how many objects name it. */
const referenceCounts = (): JsonObject =>
  struct({
    refCount: countOf(),
    typedRefCount: listOf(struct({ 'count*': countOf(), group: text(), 'resource*': text() })),
  });

const placement = (): JsonObject =>
  listOf(
    struct({
      'cluster*': text(),
      preferences: struct({
        maxReplicas: countOf(),
        minReplicas: withDefault(countOf(), 0),
        priority: countOf(),
        weight: countOf(),
      }),
    }),
  );

/**
 * When placed objects are placed again. Defaults nest: without `reschedulePolicy` all of them apply; with one that lacks `rescheduleWhen`,
 * that part stays absent, and nothing triggers.
 */
const reschedulePolicy = (): JsonObject =>
  withDefault(
    struct({
      disableRescheduling: bool(),
      replicaRescheduling: withDefault(struct({ avoidDisruption: bool({ default: true }) }), {}),
      rescheduleWhen: struct({
        clusterAPIResourcesChanged: bool({ default: false }),
        clusterJoined: bool({ default: false }),
        clusterLabelsChanged: bool({ default: false }),
        policyContentChanged: bool({ default: true }),
      }),
    }),
    { rescheduleWhen: { policyContentChanged: true } },
  );

/** PropagationPolicy and ClusterPropagationPolicy. `Balanced` among the strategies is ours. */
export function propagationPolicySchema(): JsonObject {
  return struct({
    'spec*': struct({
      autoMigration: struct({
        keepUnschedulableReplicas: bool({ default: false }),
        when: withDefault(struct({ podUnschedulableFor: text({ format: 'duration' }) }, { minProperties: 1 }), {
          podUnschedulableFor: '1m',
        }),
      }),
      clusterAffinity: clusterAffinity(),
      clusterSelector: mapOf(text()),
      disableFollowerScheduling: bool({ default: false }),
      maxClusters: int64(),
      placement: placement(),
      replicasStrategy: choice(['Binpack', 'Spread', 'Balanced'], { default: 'Spread' }),
      reschedulePolicy: reschedulePolicy(),
      'schedulingMode*': choice(['Duplicate', 'Divide']),
      schedulingProfile: text(),
      tolerations: listOf(toleration()),
    }),
    status: referenceCounts(),
  });
}

const ADD_OVERWRITE_DELETE = ['addIfAbsent', 'overwrite', 'delete'];

const image = (): JsonObject =>
  struct({
    containerNames: listOf(text()),
    imagePath: text(),
    'operations*': listOf(
      struct({
        'imageComponent*': choice(['Registry', 'Repository', 'Tag', 'Digest']),
        operator: choice(ADD_OVERWRITE_DELETE),
        value: text(),
      }),
    ),
  });

const words = (): JsonObject =>
  struct({ 'containerName*': text(), operator: choice(['append', 'overwrite', 'delete']), 'value*': listOf(text()) });

const keySource = (key: string): JsonObject => struct({ [`${key}*`]: text(), name: text(), optional: bool() });

const environment = (): JsonObject =>
  struct({
    'containerName*': text(),
    operator: choice(ADD_OVERWRITE_DELETE),
    'value*': listOf(
      struct({
        'name*': text(),
        value: text(),
        valueFrom: struct({
          configMapKeyRef: keySource('key'),
          fieldRef: struct({ apiVersion: text(), 'fieldPath*': text() }),
          resourceFieldRef: struct({
            containerName: text(),
            divisor: { 'x-kubernetes-int-or-string': true },
            'resource*': text(),
          }),
          secretKeyRef: keySource('key'),
        }),
      }),
    ),
  });

const stringMap = (): JsonObject => struct({ operator: choice(ADD_OVERWRITE_DELETE), 'value*': mapOf(text()) });

/** OverridePolicy and ClusterOverridePolicy. */
export function overridePolicySchema(): JsonObject {
  return struct({
    'spec*': struct({
      overrideRules: listOf(
        struct({
          overriders: struct({
            annotations: listOf(stringMap()),
            args: listOf(words()),
            command: listOf(words()),
            envs: listOf(environment()),
            image: listOf(image()),
            jsonpatch: listOf(struct({ operator: text(), 'path*': text(), value: anything() })),
            labels: listOf(stringMap()),
          }),
          targetClusters: struct({
            clusterAffinity: clusterAffinity(),
            clusterSelector: mapOf(text()),
            clusters: listOf(text()),
          }),
        }),
      ),
    }),
    status: referenceCounts(),
  });
}
