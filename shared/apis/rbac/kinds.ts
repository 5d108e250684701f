/** Kinds of `rbac.authorization.k8s.io/v1`. Their names are any one segment of a path. */
import type { KindDeclarations } from '../declare.ts';

const COMMON = { unconditionalUpdate: true, createOnUpdate: true, nameRule: 'pathSegment' } as const;

export const RBAC_KINDS: KindDeclarations = {
  clusterrolebindings: COMMON,
  clusterroles: COMMON,
  rolebindings: COMMON,
  roles: COMMON,
};
