/** Rules of a pod's securityContext (validatePodSpecSecurityContext and validateSysctls of k8s.io/kubernetes/pkg/apis/core/validation). */
import type { FieldError } from '../definition.ts';
import { duplicate, eachItem, invalid, isEmptyText, type OwnField, required } from './fields.ts';

const SYSCTL_LENGTH_MAX = 253;
const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL_PATTERN = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
const SYSCTL = new RegExp(SYSCTL_PATTERN);

/** Errors of `securityContext` at `field`. */
export function validatePodSecurityContext(field: string, context: OwnField): FieldError[] {
  const seen = new Set<string>();
  return eachItem(`${field}.sysctls`, context?.sysctls, (sysctl, path) => {
    const name: unknown = sysctl?.name;
    if (isEmptyText(name)) return [required(`${path}.name`)];
    const text = String(name);
    if (text.length > SYSCTL_LENGTH_MAX || !SYSCTL.test(text))
      return [
        invalid(`${path}.name`, name, `must have at most ${SYSCTL_LENGTH_MAX} characters and match regex ${SYSCTL_PATTERN}`),
      ];
    if (seen.has(text)) return [duplicate(`${path}.name`, name)];
    seen.add(text);
    return [];
  });
}
