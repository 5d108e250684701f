/** Which objects a ResourceQuota with scopes counts (kubernetes/pkg/quota/v1). Pure. */
import type { KubeObject } from '../../machinery/object.ts';
import { matchingResources, type QuotaKind } from './usage.ts';

type ScopeSelector = { scopeName: string; operator: string; values?: readonly string[] };

/** `spec.scopes` and `spec.scopeSelector` as one list, all of which must match. */
export function scopeSelectors(quota: KubeObject): readonly ScopeSelector[] {
  const named = ((quota.spec?.scopes ?? []) as string[]).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...named, ...((quota.spec?.scopeSelector?.matchExpressions ?? []) as ScopeSelector[])];
}

/** Does the quota limit anything of this object? `hard` are the limited names. */
export function quotaMatches(quota: KubeObject, hard: Iterable<string>, kind: QuotaKind, object: KubeObject): boolean {
  return matchingResources(kind, hard).length > 0 && inScope(quota, kind, object);
}

/** Does the object lie in every scope of the quota? Kinds other than pods and claims lie in none. */
export function inScope(quota: KubeObject, kind: QuotaKind, object: KubeObject): boolean {
  return scopeSelectors(quota).every((selector) => matchesScope(selector, kind, object));
}

function matchesScope(selector: ScopeSelector, kind: QuotaKind, object: KubeObject): boolean {
  if (kind.group !== '') return false;
  if (kind.plural === 'pods') return podMatches(selector, object);
  if (kind.plural !== 'persistentvolumeclaims' || selector.scopeName !== 'VolumeAttributesClass') return false;
  const names = [object.spec?.volumeAttributesClassName, object.status?.currentVolumeAttributesClassName];
  const present = names.filter((name): name is string => typeof name === 'string' && name !== '');
  return present.length === 0 ? matchesValue(selector, undefined) : present.some((name) => matchesValue(selector, name));
}

function podMatches(selector: ScopeSelector, pod: KubeObject): boolean {
  const isTerminating = typeof pod.spec?.activeDeadlineSeconds === 'number' && pod.spec.activeDeadlineSeconds >= 0;
  const isBestEffort = pod.status?.qosClass === 'BestEffort';
  switch (selector.scopeName) {
    case 'Terminating':
      return isTerminating;
    case 'NotTerminating':
      return !isTerminating;
    case 'BestEffort':
      return isBestEffort;
    case 'NotBestEffort':
      return !isBestEffort;
    case 'PriorityClass':
      return matchesValue(selector, pod.spec?.priorityClassName || undefined);
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(pod);
    default:
      return false;
  }
}

function matchesValue({ operator, values = [] }: ScopeSelector, value: string | undefined): boolean {
  switch (operator) {
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    default:
      return false;
  }
}

type AffinityTerm = { namespaces?: readonly string[]; namespaceSelector?: unknown };

function crossesNamespaces(pod: KubeObject): boolean {
  const crosses = (term: AffinityTerm | undefined) =>
    (term?.namespaces?.length ?? 0) > 0 || (term?.namespaceSelector !== undefined && term.namespaceSelector !== null);
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const affinity = pod.spec?.affinity?.[kind];
    const required: AffinityTerm[] = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const preferred: { podAffinityTerm?: AffinityTerm }[] = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return required.some(crosses) || preferred.some(({ podAffinityTerm }) => crosses(podAffinityTerm));
  });
}
