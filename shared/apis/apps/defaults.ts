/** Defaults of `apps/v1` kinds (k8s.io/kubernetes/pkg/apis/apps/v1/defaults.go). */
import { deepEqual } from '../../machinery/equality.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { fill, fillEmpty, forEachStruct, struct } from '../defaults/fill.ts';
import { defaultPodTemplate } from '../defaults/pod-spec.ts';

const HISTORY = 10;
const PROGRESS_SECONDS = 600;

export function defaultDeployment(object: KubeObject): void {
  const spec = struct(object, 'spec');
  fill(spec, { replicas: 1, revisionHistoryLimit: HISTORY, progressDeadlineSeconds: PROGRESS_SECONDS });
  const strategy = struct(spec, 'strategy');
  fillEmpty(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') fill(struct(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  defaultPodTemplate(struct(spec, 'template'));
}

export function defaultReplicaSet(object: KubeObject): void {
  const spec = struct(object, 'spec');
  fill(spec, { replicas: 1 });
  defaultPodTemplate(struct(spec, 'template'));
}

export function defaultDaemonSet(object: KubeObject): void {
  const spec = struct(object, 'spec');
  fill(spec, { revisionHistoryLimit: HISTORY });
  const strategy = struct(spec, 'updateStrategy');
  fillEmpty(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') fill(struct(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
  defaultPodTemplate(struct(spec, 'template'));
}

export function defaultStatefulSet(object: KubeObject): void {
  const spec = struct(object, 'spec');
  fill(spec, { replicas: 1, revisionHistoryLimit: HISTORY });
  fillEmpty(spec, { podManagementPolicy: 'OrderedReady' });
  const strategy = struct(spec, 'updateStrategy');
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    struct(strategy, 'rollingUpdate');
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) fill(strategy.rollingUpdate, { partition: 0 });
  fillEmpty(struct(spec, 'persistentVolumeClaimRetentionPolicy'), { whenDeleted: 'Retain', whenScaled: 'Retain' });
  forEachStruct(spec.volumeClaimTemplates, (claim) => {
    fillEmpty(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    fill(struct(claim, 'spec'), { volumeMode: 'Filesystem' });
    struct(claim.spec, 'resources');
    fillEmpty(struct(claim, 'status'), { phase: 'Pending' });
  });
  defaultPodTemplate(struct(spec, 'template'));
}

/** Counts changes of a DaemonSet's template beside its generation; kube-controller-manager's old clients read it. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** A new DaemonSet: its first status and template generation. */
export function prepareDaemonSet(object: KubeObject): void {
  object.status = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
  object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: '1' };
}

/** Counts the template generation: only the server moves it. */
export function countTemplateGeneration(object: KubeObject, old: KubeObject): void {
  const before = old.metadata.annotations?.[TEMPLATE_GENERATION] ?? '0';
  const isChanged = !deepEqual(object.spec?.template, old.spec?.template);
  const next = isChanged ? String(Number(before) + 1) : before;
  object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: next };
}

/** Annotations of a Deployment reach its ReplicaSets, so that a change of them counts as one of the spec, as upstream. */
export function countAnnotations(object: KubeObject, old: KubeObject): void {
  if (deepEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}
