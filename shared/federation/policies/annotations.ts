/**
 * Scheduling annotations of an object: each may replace one field of its policy. A value that cannot be read is passed over, and named.
 * Keys and rules are KubeAdmiral's.
 */
import { parseJson } from '../../machinery/codec/json.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import type { ClusterTerm } from './affinity.ts';
import type { PolicyPlacement } from './spec.ts';
import type { Toleration } from './tolerations.ts';

const PREFIX = 'kubeadmiral.io/';

/** Key by field. */
export const SCHEDULING_ANNOTATIONS = {
  schedulingMode: `${PREFIX}scheduling-mode`,
  stickyCluster: `${PREFIX}sticky-cluster`,
  clusterSelector: `${PREFIX}clusterSelector`,
  placements: `${PREFIX}placements`,
  affinity: `${PREFIX}affinity`,
  tolerations: `${PREFIX}tolerations`,
  maxClusters: `${PREFIX}maxClusters`,
} as const;

/** The shape of `kubeadmiral.io/affinity`. */
export type Affinity = {
  clusterAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { clusterSelectorTerms?: ClusterTerm[] | null } | null;
    preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; preference?: ClusterTerm }[] | null;
  } | null;
};

/** The fields that annotations set, and the keys whose values could not be read. */
export type AnnotatedScheduling = {
  schedulingMode?: 'Duplicate' | 'Divide';
  stickyCluster?: boolean;
  clusterSelector?: Record<string, string>;
  placements?: PolicyPlacement[];
  affinity?: Affinity;
  tolerations?: Toleration[];
  maxClusters?: number;
  unreadable: string[];
};

const WHOLE_NUMBER = /^\+?\d+$/;
const REQUIREMENT_LISTS = ['matchExpressions', 'matchFields'] as const;

/** Reads the scheduling annotations. Never throws. */
export function annotatedScheduling(annotations: Readonly<Record<string, string>>): AnnotatedScheduling {
  const read: AnnotatedScheduling = { unreadable: [] };
  for (const [field, key] of Object.entries(SCHEDULING_ANNOTATIONS) as [keyof typeof SCHEDULING_ANNOTATIONS, string][]) {
    const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    if (text === undefined) continue;
    const value = READERS[field](text);
    if (value === undefined) read.unreadable.push(key);
    else Object.assign(read, { [field]: value });
  }
  return read;
}

const READERS: { [Field in keyof typeof SCHEDULING_ANNOTATIONS]: (text: string) => AnnotatedScheduling[Field] } = {
  schedulingMode: (text) => (text === 'Duplicate' || text === 'Divide' ? text : undefined),
  stickyCluster: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  clusterSelector: (text) => ofJson(text, isStringMap),
  placements: (text) => ofJson(text, isPlacements),
  affinity: (text) => ofJson(text, isAffinity),
  tolerations: (text) => ofJson(text, isTolerations),
  maxClusters: (text) => (WHOLE_NUMBER.test(text) ? Number(text) : undefined),
};

function ofJson<T>(text: string, isShape: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = parseJson(text);
    return isShape(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStringMap(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((member) => typeof member === 'string');
}

function isPlacements(value: unknown): value is PolicyPlacement[] {
  return Array.isArray(value) && value.every(isPlacement);
}

function isPlacement(value: unknown): value is PolicyPlacement {
  if (!isObject(value) || typeof value.cluster !== 'string' || value.cluster === '') return false;
  const preferences = value.preferences;
  if (preferences === undefined || preferences === null) return true;
  if (!isObject(preferences)) return false;
  const { minReplicas, maxReplicas, weight, priority } = preferences;
  return [minReplicas, maxReplicas, weight, priority].every(isCount);
}

function isCount(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
}

function isTolerations(value: unknown): value is Toleration[] {
  if (!Array.isArray(value)) return false;
  return value.every((item) => isObject(item) && isTextOrAbsent(item.key, item.operator, item.value, item.effect));
}

function isTextOrAbsent(...values: (JsonValue | undefined)[]): boolean {
  return values.every((value) => value === undefined || value === null || typeof value === 'string');
}

function isAffinity(value: unknown): value is Affinity {
  if (!isObject(value)) return false;
  const affinity = value.clusterAffinity ?? {};
  if (!isObject(affinity)) return false;
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (!isObject(required) || !Array.isArray(preferred)) return false;
  const terms = required.clusterSelectorTerms ?? [];
  return Array.isArray(terms) && terms.every(isTerm) && preferred.every(isPreferred);
}

function isPreferred(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const { weight, preference } = value;
  return (weight === undefined || Number.isSafeInteger(weight)) && (preference === undefined || isTerm(preference));
}

function isTerm(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  return REQUIREMENT_LISTS.every((list) => {
    const requirements = value[list] ?? [];
    return Array.isArray(requirements) && requirements.every(isRequirement);
  });
}

function isRequirement(value: JsonValue): boolean {
  if (!isObject(value) || !isTextOrAbsent(value.key, value.operator)) return false;
  const values = value.values ?? [];
  return Array.isArray(values) && values.every((item) => typeof item === 'string');
}
