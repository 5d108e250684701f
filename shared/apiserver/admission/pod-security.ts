/** Upstream's PodSecurity plugin: pods that a namespace's labels forbid are refused, and who makes templates of such pods is warned. */
import {
  type LevelVersion,
  levelText,
  policyErrors,
  policyOf,
  reasonsText,
  violations,
  violationsText,
} from '../../apis/pod-security/policy.ts';
import type { PodLike } from '../../apis/pod-security/words.ts';
import { fromStored } from '../../apis/stored.ts';
import { deepEqual } from '../../machinery/equality.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { invalid } from '../../machinery/status.ts';
import { LIST_PAGE_MAX } from '../limits.ts';
import type { AdmissionRequest, AdmissionStep, AdmissionTarget } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';
import { concernsKind, refuse } from './refuse.ts';

const WRITES = ['create', 'update'] as const;
/** Kinds that hold a pod template, and where. */
const TEMPLATES: ReadonlyMap<string, (object: KubeObject) => Partial<PodLike> | undefined> = new Map([
  ...[
    'apps/deployments',
    'apps/replicasets',
    'apps/daemonsets',
    'apps/statefulsets',
    'batch/jobs',
    '/replicationcontrollers',
  ].map((name) => [name, (object: KubeObject) => object.spec?.template] as const),
  ['batch/cronjobs', (object: KubeObject) => object.spec?.jobTemplate?.spec?.template],
  ['/podtemplates', (object: KubeObject) => object.template],
]);

export function podSecurity(deps: AdmissionDeps): AdmissionStep {
  // Labels lie beside the body: one small read, nothing parsed.
  const labelsOf = async (name: string) => (await deps.store.objects.get({ scope: '/namespaces', namespace: '', name }))?.labels;
  return {
    name: 'PodSecurity',
    concerns,
    async validate(request) {
      const { definition, object, old } = request;
      if (!object) return;
      if (definition.plural === 'namespaces') return checkNamespace(deps, request, object, old);
      const policy = policyOf(await labelsOf(request.namespace));
      if (definition.plural === 'pods') {
        if (!old || isSignificant(object, old)) checkPod(request, object, policy);
        return;
      }
      const template = TEMPLATES.get(`${definition.group}/${definition.plural}`)?.(object);
      if (template?.spec) warnOf(request, policy.warn, { metadata: template.metadata ?? {}, spec: template.spec });
    },
  };
}

function concerns(target: AdmissionTarget): boolean {
  const { definition, operation, subresource } = target;
  if (definition.group === '' && definition.plural === 'pods')
    return operation !== 'delete' && (subresource === '' || subresource === 'ephemeralcontainers');
  if (concernsKind(target, '', 'namespaces', WRITES)) return true;
  return operation !== 'delete' && subresource === '' && TEMPLATES.has(`${definition.group}/${definition.plural}`);
}

function checkPod(request: AdmissionRequest, pod: KubeObject, policy: ReturnType<typeof policyOf>): void {
  const like = { metadata: pod.metadata, spec: pod.spec ?? {} };
  const found = violations(policy.enforce, like);
  if (found.length > 0) throw refuse(request, `violates PodSecurity "${levelText(policy.enforce)}": ${violationsText(found)}`);
  warnOf(request, policy.warn, like);
}

function warnOf(request: AdmissionRequest, level: LevelVersion, pod: PodLike): void {
  const found = violations(level, pod);
  if (found.length > 0) request.warn(`would violate PodSecurity "${levelText(level)}": ${violationsText(found)}`);
}

/** A change of a running pod is looked at only when it may change the answer. */
function isSignificant(pod: KubeObject, old: KubeObject): boolean {
  const relevant = ({ metadata, spec = {} }: KubeObject) => ({
    annotations: Object.entries(metadata.annotations ?? {}).filter(
      ([key]) => key.includes('apparmor') || key.includes('seccomp'),
    ),
    containers: [spec.containers ?? [], spec.initContainers ?? [], spec.ephemeralContainers ?? []],
  });
  return !deepEqual(relevant(pod), relevant(old));
}

async function checkNamespace(
  deps: AdmissionDeps,
  request: AdmissionRequest,
  namespace: KubeObject,
  old: KubeObject | undefined,
): Promise<void> {
  const errors = policyErrors(namespace.metadata.labels);
  // What was wrong before does not stop other changes.
  if (errors.length > 0 && !(old && policyErrors(old.metadata.labels).length > 0))
    throw invalid({ group: '', kind: 'Namespace' }, request.name, errors);
  if (!old) return;
  const [now, before] = [policyOf(namespace.metadata.labels).enforce, policyOf(old.metadata.labels).enforce];
  if (now.level === 'privileged' || deepEqual(now, before)) return;
  await warnOfPods(deps, request, now);
}

/** Pods that are there stay; who tightens the rules hears which of them break them. */
async function warnOfPods(deps: AdmissionDeps, request: AdmissionRequest, level: LevelVersion): Promise<void> {
  const page = await deps.store.objects.list({ scope: '/pods', namespace: request.name, limit: LIST_PAGE_MAX });
  if (page.type !== 'page') return;
  const namesByWarning = new Map<string, string[]>();
  for (const stored of page.items) {
    const pod = fromStored(stored);
    const found = violations(level, { metadata: pod.metadata, spec: pod.spec ?? {} });
    if (found.length > 0)
      namesByWarning.set(reasonsText(found), [...(namesByWarning.get(reasonsText(found)) ?? []), stored.name]);
  }
  if (page.remaining)
    request.warn(
      `new PodSecurity enforce level only checked against the first ${page.items.length} of ${page.items.length + page.remaining} existing pods`,
    );
  if (namesByWarning.size === 0) return;
  request.warn(
    `existing pods in namespace ${JSON.stringify(request.name)} violate the new PodSecurity enforce level ${JSON.stringify(levelText(level))}`,
  );
  for (const warning of [...namesByWarning].map(([why, names]) => `${countText(names)}: ${why}`).sort()) request.warn(warning);
}

function countText(names: readonly string[]): string {
  const [first = ''] = [...names].sort();
  if (names.length === 1) return first;
  return names.length === 2 ? `${first} (and 1 other pod)` : `${first} (and ${names.length - 1} other pods)`;
}
