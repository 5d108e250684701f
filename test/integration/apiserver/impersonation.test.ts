import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessServer, binding, rbacPath, role, startAccessServer } from './access-server.ts';

const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

let server: AccessServer;
beforeAll(async () => {
  server = await startAccessServer();
  const users = { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'], resourceNames: ['bob', 'devs'] };
  const scopes = {
    apiGroups: ['authentication.k8s.io'],
    resources: ['userextras/scopes'],
    verbs: ['impersonate'],
    resourceNames: ['view'],
  };
  await server.create(rbacPath('clusterroles'), role('ClusterRole', 'actor', users, scopes));
  await server.create(rbacPath('clusterrolebindings'), binding('ClusterRoleBinding', 'actor', 'ClusterRole/actor', 'User ann'));
});
afterAll(() => server.close());

/** Header lines as they came over the wire. */
function raw(...lines: [string, string][]) {
  return { connection: { rawHeaders: lines.flat() } };
}

async function whoami(token: string, ...lines: [string, string][]) {
  const answer = await server.send('POST', SELF, { token, body: REVIEW, ...raw(...lines) });
  return answer.code === 201 ? answer.json().status.userInfo : answer.json();
}

const ok = ['system:authenticated'];

describe('U05 who one is by impersonation', () => {
  test.each<[string, [string, string][], object]>([
    ['a user', [['Impersonate-User', 'x']], { username: 'x', groups: ok }],
    ['the name in any case', [['impersonate-USER', 'x']], { username: 'x', groups: ok }],
    [
      'groups, one of them with a comma',
      [
        ['Impersonate-User', 'x'],
        ['Impersonate-Group', 'a, b'],
        ['Impersonate-Group', 'c'],
      ],
      { username: 'x', groups: ['a, b', 'c', 'system:authenticated'] },
    ],
    [
      'a ServiceAccount has its groups',
      [['Impersonate-User', 'system:serviceaccount:ns:sa']],
      {
        username: 'system:serviceaccount:ns:sa',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      },
    ],
    [
      'a ServiceAccount with groups has those',
      [
        ['Impersonate-User', 'system:serviceaccount:ns:sa'],
        ['Impersonate-Group', 'g'],
      ],
      { username: 'system:serviceaccount:ns:sa', groups: ['g', 'system:authenticated'] },
    ],
    [
      'uid and extras, with escaped keys',
      [
        ['Impersonate-User', 'x'],
        ['Impersonate-Uid', '7'],
        ['Impersonate-Extra-acme.com%2Fproject', 'p'],
        ['Impersonate-Extra-Scopes', 'a'],
        ['Impersonate-Extra-Scopes', 'b'],
      ],
      { username: 'x', uid: '7', groups: ok, extra: { 'acme.com/project': ['p'], scopes: ['a', 'b'] } },
    ],
    [
      "a key that is a prototype's",
      [
        ['Impersonate-User', 'x'],
        ['Impersonate-Extra-__proto__', 'p'],
      ],
      { username: 'x', groups: ok, extra: JSON.parse('{"__proto__":["p"]}') },
    ],
    [
      'an empty user is none',
      [['Impersonate-User', '']],
      { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    ],
    [
      'authenticated is not added twice',
      [
        ['Impersonate-User', 'x'],
        ['Impersonate-Group', 'system:authenticated'],
      ],
      { username: 'x', groups: ok },
    ],
  ])('%s', async (_name, lines, want) => {
    expect(await whoami('admin', ...lines)).toEqual(want);
  });

  test.each<[string, [string, string][], string]>([
    ['a group alone', [['Impersonate-Group', 'x']], 'requested [{Group  x    }] without impersonating a user'],
    [
      'everything but a user',
      [
        ['Impersonate-Group', 'x'],
        ['Impersonate-Uid', '5'],
        ['Impersonate-Extra-Foo', 'v'],
      ],
      'requested [{Group  x    } {UserExtra  v  authentication.k8s.io/v1  foo} {UID  5  authentication.k8s.io/v1  }] without impersonating a user',
    ],
  ])('%s: 400', async (_name, lines, message) => {
    expect(await whoami('admin', ...lines)).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  test.each<[string, [string, string][], string]>([
    [
      'another user',
      [['Impersonate-User', 'eve']],
      'users "eve" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    ],
    [
      'an allowed user in a group that is not',
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Group', 'system:masters'],
      ],
      'groups "system:masters" is forbidden: User "ann" cannot impersonate resource "groups" in API group "" at the cluster scope',
    ],
    [
      'an extra that is not',
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Extra-Scopes', 'edit'],
      ],
      'userextras.authentication.k8s.io "edit" is forbidden: User "ann" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
    ],
    [
      'a ServiceAccount',
      [['Impersonate-User', 'system:serviceaccount:a:b']],
      'serviceaccounts "b" is forbidden: User "ann" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
    ],
    [
      'a uid',
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Uid', '1'],
      ],
      'uids.authentication.k8s.io "1" is forbidden: User "ann" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
    ],
  ])('%s: 403', async (_name, lines, message) => {
    expect(await whoami('ann', ...lines)).toMatchObject({ code: 403, reason: 'Forbidden', message });
  });

  test('what is allowed, together', async () => {
    const want = { username: 'bob', groups: ['devs', 'system:authenticated'], extra: { scopes: ['view'] } };
    const lines: [string, string][] = [
      ['Impersonate-User', 'bob'],
      ['Impersonate-Group', 'devs'],
      ['Impersonate-Extra-Scopes', 'view'],
    ];
    expect(await whoami('ann', ...lines)).toEqual(want);
  });

  test('rights are those of whom one acts as', async () => {
    const call = raw(['Impersonate-User', 'bob']);
    const answer = await server.send('GET', '/api/v1/secrets', call);
    expect(answer.json().message).toBe(
      'secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" at the cluster scope',
    );
  });

  test('acting as anonymous is no missing credential', async () => {
    const answer = await server.send('GET', '/api/v1/secrets', raw(['Impersonate-User', 'system:anonymous']));
    expect(answer.code).toBe(403);
  });

  test('the audit record names both', async () => {
    await server.send('GET', '/api/v1/secrets', raw(['Impersonate-User', 'bob']));
    expect(server.audit.at(-1)).toMatchObject({
      user: { username: 'admin' },
      impersonatedUser: { username: 'bob' },
      responseStatus: { code: 403, reason: 'Forbidden' },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    });
  });
});
