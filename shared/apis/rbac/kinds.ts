/** Kinds of `rbac.authorization.k8s.io/v1`. Their names are any one segment of a path. */

import type { KindDeclarations } from '../declare.ts';
import { defaultBinding, defaultRole } from '../others/defaults.ts';
import { BINDING_COLUMNS } from './columns.ts';
import {
  validateBindingUpdate,
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
} from './validation.ts';

const COMMON = { unconditionalUpdate: true, createOnUpdate: true, nameRule: 'pathSegment' } as const;

export const RBAC_KINDS: KindDeclarations = {
  clusterrolebindings: {
    ...COMMON,
    columns: BINDING_COLUMNS,
    strategy: { validate: validateClusterRoleBinding, validateUpdate: validateBindingUpdate, applyDefaults: defaultBinding },
  },
  clusterroles: { ...COMMON, strategy: { validate: validateClusterRole, applyDefaults: defaultRole } },
  rolebindings: {
    ...COMMON,
    columns: BINDING_COLUMNS,
    strategy: { validate: validateRoleBinding, validateUpdate: validateBindingUpdate, applyDefaults: defaultBinding },
  },
  roles: { ...COMMON, strategy: { validate: validateRole, applyDefaults: defaultRole } },
};
