/** Type checks of policies: what upstream's controller writes into `status.typeChecking`. */
import { describe, expect, test } from 'vitest';
import { typeCheckPolicy } from '../../../shared/apis/admission/type-check.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';

const registry = createRegistry([...builtInDefinitions()]);

const deployments = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };

function policy(spec: Record<string, unknown>): KubeObject {
  const type = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy' };
  return { ...type, metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules: [deployments] }, ...spec } };
}

const warningsOf = (spec: Record<string, unknown>) => typeCheckPolicy(policy(spec), registry);
const check = (expression: string) => warningsOf({ validations: [{ expression }] });

describe('what fits says nothing', () => {
  test.each([
    'object.spec.replicas > 1',
    "object.metadata.labels.exists(key, key == 'app')",
    "object.spec.template.spec.containers.all(c, c.image.startsWith('a'))",
    'object.spec.strategy.rollingUpdate.maxSurge == 1 || object.spec.strategy.rollingUpdate.maxSurge == "25%"',
    'has(object.spec.paused) && object.metadata.creationTimestamp < timestamp("2030-01-01T00:00:00Z")',
    'oldObject == null || oldObject.spec.replicas == object.spec.replicas',
    "request.userInfo.username == 'a' && namespaceObject.metadata.name == 'b'",
  ])('%s', (expression) => {
    expect(check(expression)).toEqual([]);
  });
});

test('an expression and its message are warned of apart, with the kind that they do not fit', () => {
  const validation = { expression: "object.spec.replicas > '1'", messageExpression: "'got ' + object.spec.replicas" };
  expect(warningsOf({ validations: [validation] })).toEqual([
    {
      fieldRef: 'spec.validations[0].expression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n" +
        " | object.spec.replicas > '1'\n | .....................^\n",
    },
    {
      fieldRef: 'spec.validations[0].messageExpression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(string, int)'\n" +
        " | 'got ' + object.spec.replicas\n | .......^\n",
    },
  ]);
});

test('a field that the kind does not have is named', () => {
  expect(check('object.spec.maxRetries < 10')[0]?.warning).toContain("undefined field 'maxRetries'");
});

test('variables carry their types on', () => {
  const variables = [{ name: 'n', expression: 'object.spec.replicas' }];
  expect(warningsOf({ variables, validations: [{ expression: "variables.n == 'x'" }] })[0]?.warning).toContain("'(int, string)'");
});

test('parameters are checked against their kind', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const warnings = warningsOf({
    paramKind,
    validations: [{ expression: 'params.data.max == 1' }, { expression: "params.data.max == '1'" }],
  });
  expect(warnings.map(({ fieldRef }) => fieldRef)).toEqual(['spec.validations[0].expression']);
});

test('every kind is checked, in order; wildcards and kinds that are not served are left out', () => {
  const resourceRules = [
    deployments,
    { ...deployments, apiGroups: [''], resources: ['pods', 'pods/status', 'nopes'] },
    { ...deployments, apiGroups: ['*'] },
  ];
  const [warning] = warningsOf({ matchConstraints: { resourceRules }, validations: [{ expression: 'object.spec.nope' }] });
  expect(warning?.warning.split('\n').filter((line) => line.includes('Kind='))).toEqual([
    expect.stringMatching(/^v1, Kind=Pod: /),
    expect.stringMatching(/^apps\/v1, Kind=Deployment: /),
  ]);
});
