import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bindingEntry, createRbacView, roleEntry } from '../../../shared/apis/rbac/bindings.ts';
import {
  type AccessQuestion,
  describeRules,
  type PolicyRule,
  policyRule,
  readRules,
  ruleAllows,
  uncoveredRules,
} from '../../../shared/apis/rbac/evaluate.ts';

const question = (over: Partial<AccessQuestion>): AccessQuestion => ({
  ...{ verb: 'get', group: '', resource: 'pods', subresource: '', name: '' },
  ...over,
});
const rule = (over: Partial<PolicyRule>) => policyRule({ verbs: ['get'], apiGroups: [''], resources: ['pods'], ...over });

describe('what a rule allows', () => {
  test.each<[string, Partial<PolicyRule>, Partial<AccessQuestion>, boolean]>([
    ['what it names', {}, {}, true],
    ['no other verb', {}, { verb: 'list' }, false],
    ['every verb', { verbs: ['*'] }, { verb: 'made-up' }, true],
    ['no other group', {}, { group: 'apps' }, false],
    ['every group', { apiGroups: ['*'] }, { group: 'apps' }, true],
    ['no subresource of it', {}, { subresource: 'log' }, false],
    ['every resource and every subresource', { resources: ['*'] }, { subresource: 'log' }, true],
    ['that subresource everywhere', { resources: ['*/log'] }, { subresource: 'log' }, true],
    ['not the resource by its subresource', { resources: ['*/log'] }, {}, false],
    ['not another by its end', { resources: ['*/log'] }, { subresource: 'xlog' }, false],
    ['no wildcard of a prefix', { resources: ['po*'] }, {}, false],
    ['a name', { resourceNames: ['a'] }, { name: 'a' }, true],
    ['no other name', { resourceNames: ['a'] }, { name: 'b' }, false],
    ['not all names', { resourceNames: ['a'] }, {}, false],
    ['no path', {}, { path: '/pods' }, false],
    ['a path', { nonResourceURLs: ['/x'] }, { path: '/x' }, true],
    ['paths below', { nonResourceURLs: ['/x/*'] }, { path: '/x/y/z' }, true],
    ['not the path above', { nonResourceURLs: ['/x/*'] }, { path: '/x' }, false],
    ['every path', { nonResourceURLs: ['*'] }, { path: '/' }, true],
    ['a star that is no end', { nonResourceURLs: ['/x/*/y'] }, { path: '/x/1/y' }, false],
  ])('%s', (_name, over, asked, want) => {
    expect(ruleAllows(rule(over), question(asked))).toBe(want);
  });
});

describe('covering', () => {
  test.each<[string, Partial<PolicyRule>[], Partial<PolicyRule>, string[]]>([
    ['itself', [{}], {}, []],
    ['by two rules together', [{ verbs: ['get'] }, { verbs: ['list'] }], { verbs: ['get', 'list'] }, []],
    ['a name by all names', [{}], { resourceNames: ['a'] }, []],
    ['all names not by one', [{ resourceNames: ['a'] }], {}, ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']],
    ['a subresource by its wildcard', [{ resources: ['*/log'] }], { resources: ['pods/log'] }, []],
    [
      'the wildcard not by what there is',
      [{ resources: ['pods/log'] }],
      { resources: ['*/log'] },
      ['{APIGroups:[""], Resources:["*/log"], Verbs:["get"]}'],
    ],
    [
      'verbs of one resource are told together',
      [],
      { verbs: ['list', 'get'] },
      ['{APIGroups:[""], Resources:["pods"], Verbs:["list" "get"]}'],
    ],
    [
      'paths',
      [{ nonResourceURLs: ['/a/*'] }],
      { apiGroups: [], resources: [], nonResourceURLs: ['/a/b', '/c'] },
      ['{NonResourceURLs:["/c"], Verbs:["get"]}'],
    ],
  ])('%s', (_name, held, wanted, missing) => {
    expect(describeRules(uncoveredRules(held.map(rule), [rule(wanted)]))).toEqual(missing);
  });

  const names = fc.subarray(['a', 'b']);
  const anyRule = fc
    .record({
      verbs: fc.subarray(['get', 'list', '*'], { minLength: 1 }),
      apiGroups: fc.subarray(['', 'apps', '*'], { minLength: 1 }),
      resources: fc.subarray(['pods', 'pods/log', '*/log', '*'], { minLength: 1 }),
      resourceNames: names,
    })
    .map(policyRule);
  const anyQuestion = fc.record({
    verb: fc.constantFrom('get', 'list', 'watch'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'jobs'),
    subresource: fc.constantFrom('', 'log', 'status'),
    name: fc.constantFrom('', 'a', 'c'),
  });

  test('who covers a rule may do all that it allows', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 4 }), anyRule, anyQuestion, (held, wanted, asked) => {
        if (uncoveredRules(held, [wanted]).length > 0 || !ruleAllows(wanted, asked)) return;
        expect(held.some((each) => ruleAllows(each, asked))).toBe(true);
      }),
      { seed: 11, numRuns: 5000 },
    );
  });
});

describe('who holds what', () => {
  const ref = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  const named = (name: string, namespace?: string) => ({
    apiVersion: 'v1',
    kind: 'x',
    metadata: { name, ...(namespace ? { namespace } : {}) },
  });
  const view = createRbacView({
    clusterRoles: [roleEntry({ ...named('c'), rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] })],
    roles: [roleEntry({ ...named('r', 'n'), rules: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }] })],
    clusterRoleBindings: [
      bindingEntry({
        ...named('cb'),
        roleRef: ref('ClusterRole', 'c'),
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'Group', name: 'g' },
        ],
      }),
    ],
    roleBindings: [
      bindingEntry({
        ...named('rb', 'n'),
        roleRef: ref('Role', 'r'),
        subjects: [{ kind: 'ServiceAccount', name: 's' }, null, { kind: 'Odd', name: 'u' }],
      }),
      bindingEntry({ ...named('lost', 'n'), roleRef: ref('Role', 'none'), subjects: [{ kind: 'User', name: 'u' }] }),
    ],
  });

  test.each([
    ['by name', { name: 'u', groups: [] }, '', ['ClusterRoleBinding "cb" of ClusterRole "c" to User "u"']],
    ['by group', { name: 'x', groups: ['h', 'g'] }, '', ['ClusterRoleBinding "cb" of ClusterRole "c" to Group "g"']],
    ['by both, once', { name: 'u', groups: ['g'] }, '', ['ClusterRoleBinding "cb" of ClusterRole "c" to User "u"']],
    [
      'an account of the namespace',
      { name: 'system:serviceaccount:n:s', groups: [] },
      'n',
      ['RoleBinding "rb/n" of Role "r" to ServiceAccount "s/n"'],
    ],
    ['not elsewhere', { name: 'system:serviceaccount:n:s', groups: [] }, 'm', []],
    ['nobody', { name: 'y', groups: [] }, 'n', []],
  ])('%s', (_name, holder, namespace, want) => {
    expect(view.grantsFor(holder, namespace).grants.map(({ source }) => source)).toEqual(want);
  });

  test('a role that is missing is told', () => {
    expect(view.grantsFor({ name: 'u', groups: [] }, 'n').errors).toEqual(['role.rbac.authorization.k8s.io "none" not found']);
  });
});

test('rules that are no rules allow nothing', () => {
  for (const rules of [null, 'x', [null], [{ verbs: 'get' }], [{ verbs: [1] }]])
    expect(readRules(rules).some((each) => ruleAllows(each, question({})))).toBe(false);
});
