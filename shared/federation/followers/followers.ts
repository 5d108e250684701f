/** Followers: objects that go where their leader goes. Behaviour copied from KubeAdmiral (`followers`, section on dependencies). */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { parseApiVersion } from '../../machinery/resource.ts';
import { DISABLE_FOLLOWING_ANNOTATION, FOLLOWERS_ANNOTATION, NO_SCHEDULING_ANNOTATION } from '../keys.ts';
import { isJsonObject, podSpecOf } from '../overrides/pod-spec.ts';
import type { FollowRef } from '../snapshot.ts';
import { podReferences } from './pod-references.ts';

const LEADERS: ReadonlySet<string> = new Set([
  'apps/Deployment',
  'apps/StatefulSet',
  'apps/DaemonSet',
  'batch/Job',
  'batch/CronJob',
  '/Pod',
]);

const FOLLOWERS: ReadonlySet<string> = new Set([
  '/ConfigMap',
  '/Secret',
  '/PersistentVolumeClaim',
  '/ServiceAccount',
  '/Service',
  'networking.k8s.io/Ingress',
  'autoscaling/HorizontalPodAutoscaler',
]);

/**
 * Kinds, as `group/kind`, that usually go where a workload goes, or to every cluster. That one of them has no policy of its own is no surprise, and
 * nobody is told: an event and a warning for each ConfigMap and Secret of a namespace would hide those that matter.
 */
export const USUALLY_FOLLOW: ReadonlySet<string> = new Set([
  '/Namespace',
  '/ConfigMap',
  '/Secret',
  '/ServiceAccount',
  '/PersistentVolumeClaim',
  'apiextensions.k8s.io/CustomResourceDefinition',
]);

/** What every namespace of every member makes for itself; sending the host's would only meet a conflict. */
const MADE_BY_MEMBERS: ReadonlySet<string> = new Set(['ServiceAccount/default', 'ConfigMap/kube-root-ca.crt']);

/** True for kinds whose objects may lead others. */
export function mayLead(object: { group: string; kind: string }): boolean {
  return LEADERS.has(`${object.group}/${object.kind}`);
}

/** True for kinds that may follow; autoscalers of other groups count when their FederatedTypeConfig says so. */
export function mayFollow(object: { group: string; kind: string }): boolean {
  return FOLLOWERS.has(`${object.group}/${object.kind}`);
}

/**
 * The objects that follow a source: those that its pod spec names, and those of its `followers` annotation. Sorted by group, kind and
 * name, each once, all of the source's namespace. None for kinds that lead nobody and for a source whose placement is frozen by `no-scheduling`.
 * An annotation that cannot be read names nobody.
 */
export function followersOf(source: KubeObject): FollowRef[] {
  const { group } = parseApiVersion(source.apiVersion);
  const annotations = source.metadata.annotations ?? {};
  if (!mayLead({ group, kind: source.kind }) || annotations[NO_SCHEDULING_ANNOTATION] === 'true') return [];
  const namespace = source.metadata.namespace ?? '';
  const found = new Map<string, FollowRef>();
  for (const ref of [...followersOfPodSpec(podSpecOf(source)?.spec ?? {}, namespace), ...declaredFollowers(source)])
    found.set(`${ref.group}/${ref.kind}/${ref.name}`, ref);
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ref]) => ref);
}

/** The objects that a pod spec names, without those that members make for themselves. */
export function followersOfPodSpec(podSpec: JsonObject, namespace: string): FollowRef[] {
  const names = Object.entries(podReferences(podSpec)).flatMap(([kind, set]) => [...set].map((name) => ({ kind, name })));
  return names
    .filter(({ kind, name }) => !MADE_BY_MEMBERS.has(`${kind}/${name}`))
    .map(({ kind, name }) => ({ group: '', kind, namespace, name }));
}

/** True when the object does not want to follow anybody. */
export function refusesToFollow(object: KubeObject): boolean {
  return object.metadata.annotations?.[DISABLE_FOLLOWING_ANNOTATION] === 'true';
}

/** Why the `followers` annotation cannot be read; undefined when it can, or is absent. */
export function followersAnnotationError(source: KubeObject): string | undefined {
  const text = source.metadata.annotations?.[FOLLOWERS_ANNOTATION];
  if (text === undefined || parseFollowers(text) !== undefined) return undefined;
  return `annotation ${FOLLOWERS_ANNOTATION} is not a JSON list of {"group","kind","name"}`;
}

function declaredFollowers(source: KubeObject): FollowRef[] {
  const text = source.metadata.annotations?.[FOLLOWERS_ANNOTATION];
  const declared = text === undefined ? [] : (parseFollowers(text) ?? []);
  return declared.map((ref) => ({ ...ref, namespace: source.metadata.namespace ?? '' }));
}

function parseFollowers(text: string): { group: string; kind: string; name: string }[] | undefined {
  const list = parsed(text);
  if (!Array.isArray(list) || !list.every(isJsonObject)) return undefined;
  const refs: { group: string; kind: string; name: string }[] = [];
  for (const { group = '', kind, name } of list) {
    if (typeof group !== 'string' || typeof kind !== 'string' || typeof name !== 'string' || kind === '' || name === '')
      return undefined;
    refs.push({ group, kind, name });
  }
  return refs;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
