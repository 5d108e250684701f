/** What the checks of Pod Security share: how a spec is walked, and how upstream puts its findings in words (k8s.io/pod-security-admission/policy). Pure. */
import type { KubeObject } from '../../machinery/object.ts';
import type { Struct } from '../defaults/fill.ts';

/** A pod, or the template of one. */
export type PodLike = { metadata: Pick<KubeObject['metadata'], 'annotations'>; spec: Struct };

/** What is wrong: `privileged (container "c" must not set ...)`. */
export type Violation = { reason: string; detail: string };

/** One rule. `since`: the minor version of Kubernetes (1.x) that brought it. `overrides`: ids of rules that it makes needless. */
export type Check = {
  id: string;
  level: 'baseline' | 'restricted';
  since: number;
  overrides?: readonly string[];
  /** `minor` is the version of the policy that is asked for. */
  violation(pod: PodLike, minor: number): Violation | undefined;
};

export const listOf = (value: unknown): Struct[] => (Array.isArray(value) ? value : []);

/** All containers: init, ordinary, ephemeral. */
export function containersOf({ spec }: PodLike): Struct[] {
  return [...listOf(spec.initContainers), ...listOf(spec.containers), ...listOf(spec.ephemeralContainers)];
}

export const namesOf = (containers: readonly Struct[]): string[] => containers.map(({ name }) => String(name));
export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);
export const quoted = (texts: readonly string[]): string => texts.map((text) => JSON.stringify(text)).join(', ');
export const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].sort();

/** `container "a"`, `containers "a", "b"`. */
export function containersText(containers: readonly Struct[]): string {
  return `${plural('container', 'containers', containers.length)} ${quoted(namesOf(containers))}`;
}

/** `pod and container "a"`: who set something. */
export function setters(isPod: boolean, containers: readonly Struct[]): string {
  return [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');
}

/** Users of a namespace of their own are no users of the node: some rules do not bind them since 1.35. */
export const hasUserNamespace = ({ spec }: PodLike, minor: number): boolean => minor >= 35 && spec.hostUsers === false;
export const isWindows = ({ spec }: PodLike): boolean => spec.os?.name === 'windows';
