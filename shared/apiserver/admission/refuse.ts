/** Small words that admission steps share. */
import { forbidden, type StatusError } from '../../machinery/status.ts';
import type { AdmissionRequest, AdmissionTarget } from '../server.ts';

/** 403 of a step: `pods "p" is forbidden: ...`. */
export function refuse({ definition, name, object }: AdmissionRequest, why: string): StatusError {
  const shown = name || object?.metadata.generateName || 'Unknown';
  return forbidden({ group: definition.group, resource: definition.plural }, shown, why);
}

/** Several reasons as upstream joins them: `a`, or `[a, b]`; what is said twice is said once. */
export function joinReasons(reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/** Whether a write concerns objects of a kind themselves, in one of these ways. */
export function concernsKind(
  { definition, operation, subresource }: AdmissionTarget,
  group: string,
  plural: string,
  operations: readonly AdmissionTarget['operation'][],
): boolean {
  return definition.group === group && definition.plural === plural && subresource === '' && operations.includes(operation);
}

export const concernsNewPods = (target: AdmissionTarget): boolean => concernsKind(target, '', 'pods', ['create']);
