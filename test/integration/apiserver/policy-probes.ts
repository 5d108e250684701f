/** Policies with a binding each, and a ConfigMap that they judge: asked of a real kube-apiserver (record-policies.ts) and of ours. */

export type Probe = { policy: Record<string, unknown>; binding?: Record<string, unknown> };

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
const check = (expression: string, more: Record<string, unknown> = {}) => ({ expression, ...more });

/** What every probe begins with; `expression` false and no message unless it says otherwise. */
export const PROBES: Readonly<Record<string, Probe>> = {
  'a bare refusal': { policy: { validations: [check('false')] } },
  'a message': { policy: { validations: [check('false', { message: '  because  ' })] } },
  'a reason': { policy: { validations: [check('false', { message: 'm', reason: 'Forbidden' })] } },
  'a size': { policy: { validations: [check('false', { message: 'm', reason: 'RequestEntityTooLarge' })] } },
  'the first of two': {
    policy: { validations: [check('true'), check('false', { message: 'second' }), check('false', { message: 'third' })] },
  },
  'a text that is computed': {
    policy: { validations: [check('false', { messageExpression: "'name is ' + object.metadata.name" })] },
  },
  'a blank text that is computed': { policy: { validations: [check('false', { message: 'm', messageExpression: "'  '" })] } },
  'an error': { policy: { validations: [check('object.data.nope == 1')] } },
  'an error that is ignored': { policy: { failurePolicy: 'Ignore', validations: [check('object.data.nope == 1')] } },
  'a variable': {
    policy: {
      variables: [{ name: 'n', expression: 'object.data.n' }],
      validations: [check("variables.n == '2'", { messageExpression: "'n is ' + variables.n" })],
    },
  },
  'a variable that fails': {
    policy: { variables: [{ name: 'n', expression: 'object.data.nope' }], validations: [check("variables.n == '2'")] },
  },
  'a variable of a variable that fails': {
    policy: {
      variables: [
        { name: 'a', expression: 'object.nope' },
        { name: 'b', expression: 'variables.a' },
      ],
      validations: [check('variables.b == 1')],
    },
  },
  'a condition that is false': {
    policy: { matchConditions: [{ name: 'c', expression: 'false' }], validations: [check('false')] },
  },
  'a condition that fails': {
    policy: { matchConditions: [{ name: 'c', expression: 'object.nope == 1' }], validations: [check('false')] },
  },
  'two conditions that fail': {
    policy: {
      matchConditions: [
        { name: 'c', expression: 'object.nope == 1' },
        { name: 'd', expression: 'object.none == 1' },
      ],
      validations: [check('false')],
    },
  },
  'a condition that fails beside a false one': {
    policy: {
      matchConditions: [
        { name: 'c', expression: 'object.nope == 1' },
        { name: 'd', expression: 'false' },
      ],
      validations: [check('false')],
    },
  },
  'a namespace selector that misses': {
    policy: { validations: [check('false')] },
    binding: { matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } } },
  },
  'an object selector that hits': {
    policy: { validations: [check('false')] },
    binding: { matchResources: { objectSelector: { matchLabels: { app: 'web' } } } },
  },
  'a parameter that is missing': {
    policy: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [check("params.data.x == '1'")] },
    binding: { paramRef: { name: 'nope', namespace: 'default', parameterNotFoundAction: 'Deny' } },
  },
  'a parameter that may be missing': {
    policy: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [check("params.data.x == '1'")] },
    binding: { paramRef: { name: 'nope', namespace: 'default', parameterNotFoundAction: 'Allow' } },
  },
  'no parameter asked for': {
    policy: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [check('params == null', { message: 'params' }), check('params != null', { message: 'no params' })],
    },
  },
  'too much work': {
    policy: {
      validations: [
        check("'x'.matches('x') && lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))"),
      ],
    },
  },
  'the work of many checks': {
    policy: {
      variables: [{ name: 'l', expression: 'lists.range(300)' }],
      validations: Array.from({ length: 20 }, () => check('variables.l.all(a, variables.l.all(b, a + b >= 0))')),
    },
  },
  'an annotation that fails': { policy: { auditAnnotations: [{ key: 'k', valueExpression: 'string(object.data.nope)' }] } },
  'an annotation': { policy: { auditAnnotations: [{ key: 'k', valueExpression: "'v'" }] } },
  'a warning': { policy: { validations: [check('false', { message: 'mind' })] }, binding: { validationActions: ['Warn'] } },
  'a rule of the cluster': {
    policy: { matchConstraints: { resourceRules: [{ ...rule, scope: 'Cluster' }] }, validations: [check('false')] },
  },
  'a rule of all kinds': {
    policy: {
      matchConstraints: { resourceRules: [{ ...rule, apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }] },
      validations: [check('false')],
    },
  },
};

/** The objects of one probe. Only writes that carry its number are judged. */
export function probeObjects(name: string, probe: Probe) {
  const constraints = { resourceRules: [rule] };
  const only = { objectSelector: { matchLabels: { probe: name } } };
  const given = (probe.policy.matchConstraints ?? constraints) as Record<string, unknown>;
  const type = { apiVersion: 'admissionregistration.k8s.io/v1' };
  return {
    policy: {
      ...type,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: { ...probe.policy, matchConstraints: { ...given, ...only } },
    },
    binding: {
      ...type,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], ...probe.binding },
    },
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x', namespace: 'default', labels: { app: 'web', probe: name } },
      data: { n: '1' },
    },
  };
}

/** What an answer says: code, reason, message and causes of a refusal; the Warning header of what passed. */
export type ProbeAnswer = { code: number; reason?: string; message?: string; causes?: unknown; warning?: string };
