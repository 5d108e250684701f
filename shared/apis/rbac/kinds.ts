/** Kinds of `rbac.authorization.k8s.io/v1`. Their names are any one segment of a path. */

import type { KindDeclarations } from '../declare.ts';
import { defaultBinding, defaultRole } from '../others/defaults.ts';
import { BINDING_COLUMNS } from './columns.ts';

const COMMON = { unconditionalUpdate: true, createOnUpdate: true, nameRule: 'pathSegment' } as const;

export const RBAC_KINDS: KindDeclarations = {
  clusterrolebindings: { ...COMMON, columns: BINDING_COLUMNS, strategy: { applyDefaults: defaultBinding } },
  clusterroles: { ...COMMON, strategy: { applyDefaults: defaultRole } },
  rolebindings: { ...COMMON, columns: BINDING_COLUMNS, strategy: { applyDefaults: defaultBinding } },
  roles: { ...COMMON, strategy: { applyDefaults: defaultRole } },
};
