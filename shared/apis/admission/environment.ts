/** What expressions of admission see: the variables of k8s.io/apiserver/pkg/admission/plugin/cel/compile.go, with their types. */
import { type CelCompiled, compileCel } from '../../machinery/cel/cel.ts';
import { AUTHORIZER, RESOURCE } from '../../machinery/cel/library/authorizer.ts';
import {
  BOOL,
  type CelType,
  DYN,
  INT,
  listOf,
  mapOf,
  objectOf,
  opaqueType,
  STRING,
  TIMESTAMP,
} from '../../machinery/cel/types.ts';

const GROUP_VERSION_KIND = objectOf('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const GROUP_VERSION_RESOURCE = objectOf('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const USER_INFO = objectOf('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
});

/** The variable `request`. */
const REQUEST = objectOf('kubernetes.AdmissionRequest', {
  kind: GROUP_VERSION_KIND,
  resource: GROUP_VERSION_RESOURCE,
  subResource: STRING,
  requestKind: GROUP_VERSION_KIND,
  requestResource: GROUP_VERSION_RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER_INFO,
  dryRun: BOOL,
  options: DYN,
});

const NAMESPACE_CONDITION = objectOf('kubernetes.NamespaceCondition', {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});

/** The variable `namespaceObject`. */
const NAMESPACE = objectOf('kubernetes.Namespace', {
  metadata: objectOf('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: objectOf('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
  status: objectOf('kubernetes.NamespaceStatus', { conditions: listOf(NAMESPACE_CONDITION), phase: STRING }),
});

/** What is in scope beside `object`, `oldObject`, `request` and `namespaceObject`. */
export type ExpressionScope = {
  hasParams: boolean;
  hasAuthorizer: boolean;
  /** Type of `variables`; absent: the policy has none. */
  variables?: CelType;
  /** Types of `object` and of `params`, for a check against what is known of them. */
  objectType?: CelType;
  paramsType?: CelType;
};

/** What an expression is for decides what it must give. */
export type ExpressionPurpose = 'condition' | 'message' | 'annotation' | 'variable';

/** Compiles an expression of a policy or a webhook. Errors are upstream's texts. */
export function compileExpression(expression: string, purpose: ExpressionPurpose, scope: ExpressionScope): CelCompiled {
  const objectType = scope.objectType ?? DYN;
  const types: Record<string, CelType> = {
    object: objectType,
    oldObject: objectType,
    request: REQUEST,
    namespaceObject: NAMESPACE,
    ...(scope.hasParams ? { params: scope.paramsType ?? DYN } : {}),
    ...(scope.hasAuthorizer ? { authorizer: opaqueType(AUTHORIZER), 'authorizer.requestResource': opaqueType(RESOURCE) } : {}),
    ...(scope.variables ? { variables: scope.variables } : {}),
  };
  const returns = purpose === 'condition' ? 'bool' : purpose === 'message' ? 'string' : 'any';
  const compiled = compileCel(expression, { variables: [], types, returns });
  if (!compiled.ok || purpose !== 'annotation') return compiled;
  const { kind } = compiled.program.type;
  if (kind === 'string' || kind === 'null') return compiled;
  return { ok: false, kind: 'type', error: `must evaluate to one of [string null_type] but got ${kind}` };
}
