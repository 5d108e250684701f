/** ValidatingAdmissionPolicy behind a whole server: who is refused, by which text, and what a policy may look at. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROBES, type ProbeAnswer, probeObjects } from './policy-probes.ts';
import { configMap, deployment, startTestServer, type TestServer } from './server.ts';

const API = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${API}/validatingadmissionpolicies`;
const BINDINGS = `${API}/validatingadmissionpolicybindings`;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

type Spec = Record<string, unknown>;

const rule = (overrides: Spec = {}) => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['configmaps'],
  ...overrides,
});
const policyBody = (spec: Spec = {}) => ({
  metadata: { name: 'p' },
  spec: { matchConstraints: { resourceRules: [rule()] }, validations: [{ expression: 'false', message: 'no' }], ...spec },
});
const bindingBody = (spec: Spec = {}) => ({
  metadata: { name: 'b' },
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});

async function policy(spec: Spec = {}, binding: Spec = {}): Promise<void> {
  expect((await server.send('POST', POLICIES, { body: policyBody(spec) })).code).toBe(201);
  expect((await server.send('POST', BINDINGS, { body: bindingBody(binding) })).code).toBe(201);
}

const create = (object: unknown, path = CONFIG_MAPS) => server.send('POST', path, { body: object });
const denied = (message: string) =>
  `configmaps "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${message}`;

test('a policy without a binding is not in force, and one that is deleted no longer is', async () => {
  await server.send('POST', POLICIES, { body: policyBody() });
  expect((await create(configMap('a'))).code).toBe(201);
  await server.send('POST', BINDINGS, { body: bindingBody() });
  expect((await create(configMap('x'))).code).toBe(422);
  await server.send('DELETE', `${BINDINGS}/b`);
  expect((await create(configMap('x'))).code).toBe(201);
});

test('a refusal is a Status with the reason, the code and the cause of upstream', async () => {
  await policy({ validations: [{ expression: "object.data.a == 'b'", message: ' must be b ', reason: 'Forbidden' }] });
  const answer = await create(configMap('x', { a: 'c' }));
  expect(answer.json()).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: denied('must be b'),
    reason: 'Forbidden',
    details: { name: 'x', kind: 'configmaps', causes: [{ message: denied('must be b').replace(/^.*forbidden: /, '') }] },
    code: 403,
  });
});

describe('what a check says', () => {
  test.each<[string, Spec, string | undefined]>([
    ['its expression when it has no message', { expression: ' 1 > 2 ' }, 'failed expression: 1 > 2'],
    ['its message', { expression: 'false', message: 'because' }, 'because'],
    ['what messageExpression gives', { expression: 'false', messageExpression: "'n is ' + object.data.n" }, 'n is 1'],
    [
      'its message when messageExpression fails',
      { expression: 'false', message: 'm', messageExpression: 'string(object.data.nope)' },
      'm',
    ],
    ['its message when messageExpression gives lines', { expression: 'false', message: 'm', messageExpression: "'a\\nb'" }, 'm'],
    ['nothing when it holds', { expression: "object.data.n == '1'" }, undefined],
    [
      'the error of its expression',
      { expression: 'object.data.nope > 1' },
      "expression 'object.data.nope > 1' resulted in error: no such key: nope",
    ],
  ])('%s', async (_name, validation, message) => {
    await policy({ validations: [validation] });
    const answer = await create(configMap('x', { n: '1' }));
    if (message === undefined) return expect(answer.code).toBe(201);
    expect([answer.code, answer.json().message]).toEqual([422, denied(message)]);
  });
});

describe('what a policy may look at', () => {
  test.each<[string, Spec]>([
    [
      'variables, each of those above it',
      {
        variables: [
          { name: 'n', expression: 'int(object.data.n)' },
          { name: 'odd', expression: 'variables.n % 2 == 1' },
        ],
        validations: [{ expression: '!variables.odd' }],
      },
    ],
    [
      'the request',
      {
        validations: [
          {
            expression:
              "request.operation != 'CREATE' || request.userInfo.username != 'admin' || request.resource.resource != 'configmaps'",
          },
        ],
      },
    ],
    [
      'the namespace',
      { validations: [{ expression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] != 'default'" }] },
    ],
    [
      'what the user may do',
      {
        validations: [
          {
            expression:
              "authorizer.group('').resource('configmaps').namespace('default').check('create').allowed() && authorizer.requestResource.check('delete').allowed() && false",
          },
        ],
      },
    ],
    ['that there is no old object', { validations: [{ expression: 'oldObject != null' }] }],
  ])('%s', async (_name, spec) => {
    await policy(spec);
    expect((await create(configMap('x', { n: '1' }))).code).toBe(422);
  });

  test('the old object of an update, and of a deletion', async () => {
    await create(configMap('x', { n: '1' }));
    await policy({
      matchConstraints: { resourceRules: [rule({ operations: ['UPDATE', 'DELETE'] })] },
      validations: [{ expression: "oldObject.data.n != '1'", message: 'n was 1' }],
    });
    const update = await server.send('PUT', `${CONFIG_MAPS}/x`, { body: configMap('x', { n: '2' }) });
    expect(update.json().message).toBe(denied('n was 1'));
    expect((await server.send('DELETE', `${CONFIG_MAPS}/x`)).json().message).toBe(denied('n was 1'));
  });

  test('a fault in a variable reaches only the checks that look at it', async () => {
    await policy({
      variables: [{ name: 'bad', expression: 'object.nope' }],
      validations: [{ expression: 'true || variables.bad' }],
    });
    expect((await create(configMap('x'))).code).toBe(201);
  });
});

describe('which writes a policy is for', () => {
  test.each<[string, Spec, Spec, boolean]>([
    ['another kind', { matchConstraints: { resourceRules: [rule({ resources: ['secrets'] })] } }, {}, false],
    ['another operation', { matchConstraints: { resourceRules: [rule({ operations: ['DELETE'] })] } }, {}, false],
    [
      'every kind',
      { matchConstraints: { resourceRules: [rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] })] } },
      {},
      true,
    ],
    ['kinds of the cluster', { matchConstraints: { resourceRules: [rule({ scope: 'Cluster' })] } }, {}, false],
    ['an excluded kind', { matchConstraints: { resourceRules: [rule()], excludeResourceRules: [rule()] } }, {}, false],
    ['names', { matchConstraints: { resourceRules: [rule({ resourceNames: ['y'] })] } }, {}, false],
    [
      'labels of the object',
      { matchConstraints: { resourceRules: [rule()], objectSelector: { matchLabels: { a: 'b' } } } },
      {},
      false,
    ],
    ['labels of the namespace', {}, { matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } } }, false],
    [
      'labels that the namespace has',
      {},
      { matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } } },
      true,
    ],
    [
      'a condition that does not hold',
      { matchConditions: [{ name: 'c', expression: "object.metadata.name == 'y'" }] },
      {},
      false,
    ],
    ['a condition that fails', { matchConditions: [{ name: 'c', expression: 'object.nope' }] }, {}, true],
    [
      'a condition that fails, ignored',
      { failurePolicy: 'Ignore', matchConditions: [{ name: 'c', expression: 'object.nope == 1' }] },
      {},
      false,
    ],
    ['a failing check, ignored', { failurePolicy: 'Ignore', validations: [{ expression: 'object.nope == 1' }] }, {}, false],
  ])('%s', async (_name, spec, binding, isRefused) => {
    const made = await server.send('POST', POLICIES, { body: policyBody(spec) });
    await server.send('POST', BINDINGS, { body: bindingBody(binding) });
    if (made.code !== 201) return expect(made.json().message).toContain('must evaluate to bool');
    expect((await create(configMap('x'))).code).toBe(isRefused ? 422 : 201);
  });

  test('a rule about one version of a kind is asked about the other, in that version', async () => {
    await policy({
      matchConstraints: {
        resourceRules: [rule({ apiGroups: ['autoscaling'], apiVersions: ['v2'], resources: ['horizontalpodautoscalers'] })],
      },
      validations: [
        {
          expression: "object.apiVersion == 'autoscaling/v1'",
          messageExpression: 'object.apiVersion + request.kind.version + request.requestKind.version',
        },
      ],
    });
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'w' };
    const body = { metadata: { name: 'x' }, spec: { maxReplicas: 2, scaleTargetRef: target } };
    const answer = await create(body, '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers');
    expect(answer.json().message).toContain('denied request: autoscaling/v2v2v1');
  });

  test('admission is never configured by what it configures', async () => {
    await policy({
      matchConstraints: { resourceRules: [rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] })] },
    });
    expect((await server.send('DELETE', `${BINDINGS}/b`)).code).toBe(200);
    expect((await server.send('DELETE', `${POLICIES}/p`)).code).toBe(200);
  });
});

describe('parameters', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const spec = {
    paramKind,
    matchConstraints: { resourceRules: [rule({ apiGroups: ['apps'], resources: ['deployments'] })] },
    validations: [
      { expression: 'object.spec.replicas <= int(params.data.max)', messageExpression: "'at most ' + params.data.max" },
    ],
  };
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' };

  test.each<[string, Spec, number, string | undefined]>([
    ['the one that is named', { paramRef }, 4, 'at most 3'],
    ['the one that is named, kept', { paramRef }, 3, undefined],
    [
      'all that are selected',
      { paramRef: { selector: { matchLabels: { limits: 'yes' } }, parameterNotFoundAction: 'Deny' } },
      4,
      'at most 3',
    ],
    [
      'none, where that is denied',
      { paramRef: { ...paramRef, name: 'other' } },
      1,
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ],
    ['none, where that is allowed', { paramRef: { ...paramRef, name: 'other', parameterNotFoundAction: 'Allow' } }, 9, undefined],
    [
      'none, for a binding without',
      {},
      1,
      "expression 'object.spec.replicas <= int(params.data.max)' resulted in error: no such key: data",
    ],
  ])('%s', async (_name, binding, replicas, message) => {
    await create(configMap('limits', { max: '3' }, { labels: { limits: 'yes' } }));
    await policy(spec, binding);
    const answer = await create(deployment('x', replicas), deployments);
    if (message === undefined) return expect(answer.code).toBe(201);
    expect(answer.json().message).toBe(
      `deployments.apps "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${message}`,
    );
  });
});

test('a binding that warns lets the write pass and says so', async () => {
  await policy({}, { validationActions: ['Warn', 'Audit'] });
  const answer = await create(configMap('x'));
  expect([answer.code, answer.headers.get('warning')]).toEqual([
    201,
    `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"`,
  ]);
});

describe('policies that are refused', () => {
  test.each<[string, Spec, string]>([
    [
      'an expression that does not parse',
      { validations: [{ expression: 'object.' }] },
      'spec.validations[0].expression: Invalid value: "object.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input \'.\'\n | object.\n | .......^',
    ],
    [
      'one that is no condition',
      { validations: [{ expression: '1 + 1' }] },
      'spec.validations[0].expression: Invalid value: "1 + 1": must evaluate to bool but got int',
    ],
    [
      'one that looks at parameters without a kind',
      { validations: [{ expression: 'params.x' }] },
      "undeclared reference to 'params'",
    ],
    [
      'a message that is no text',
      { validations: [{ expression: 'true', messageExpression: '1' }] },
      'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
    ],
    [
      'a message that asks what one may do',
      { validations: [{ expression: 'true', messageExpression: "authorizer.path('/x').check('get').reason()" }] },
      "undeclared reference to 'authorizer'",
    ],
    [
      'an annotation that is no text',
      { auditAnnotations: [{ key: 'k', valueExpression: '1' }] },
      'must evaluate to one of [string null_type] but got int',
    ],
    [
      'a variable that is no name',
      { variables: [{ name: 'a-b', expression: '1' }] },
      'spec.variables[0].name: Invalid value: "a-b": must be a valid CEL identifier',
    ],
    [
      'nothing to check',
      { validations: [] },
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
    ],
    [
      'a reason that is none',
      { validations: [{ expression: 'true', reason: 'Because' }] },
      'Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
    ['no constraints', { matchConstraints: null }, 'spec.matchConstraints: Required value'],
    ['a condition of no name', { matchConditions: [{ expression: 'true' }] }, 'spec.matchConditions[0].name: Required value'],
  ])('%s', async (_name, spec, message) => {
    const answer = await server.send('POST', POLICIES, { body: policyBody(spec) });
    expect([answer.code, answer.json().message]).toEqual([422, expect.stringContaining(message)]);
  });

  test('bindings too', async () => {
    const answer = await server.send('POST', BINDINGS, {
      body: bindingBody({ validationActions: ['Deny', 'Warn'], paramRef: {} }),
    });
    expect(answer.json().message).toContain('must not contain both Deny and Warn');
    expect(answer.json().message).toContain('spec.paramRef: Required value: one of name or selector must be specified');
  });
});

describe('as a kube-apiserver 1.35.4 answered', () => {
  const recorded = JSON.parse(readFileSync(new URL('recorded/policies.json', import.meta.url), 'utf8')) as Record<
    string,
    ProbeAnswer
  >;

  test.each(Object.entries(PROBES))('%s', async (key, probe) => {
    const name = `probe-${Object.keys(PROBES).indexOf(key)}`;
    const objects = probeObjects(name, probe);
    expect((await server.send('POST', POLICIES, { body: objects.policy })).code).toBe(201);
    expect((await server.send('POST', BINDINGS, { body: objects.binding })).code).toBe(201);
    const answer = await create(objects.object, `${CONFIG_MAPS}?dryRun=All`);
    const warning = answer.headers.get('warning');
    const { reason, message, details } = answer.json();
    const ours =
      answer.code < 300
        ? { code: answer.code, ...(warning ? { warning } : {}) }
        : { code: answer.code, reason, message, causes: details?.causes };
    expect(ours).toEqual(recorded[key]);
  });
});
