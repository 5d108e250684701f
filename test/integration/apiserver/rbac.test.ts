import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessServer, binding, rbacPath, role, startAccessServer } from './access-server.ts';

let server: AccessServer;
beforeAll(async () => {
  server = await startAccessServer();
});
afterAll(() => server.close());

const pods = '/api/v1/namespaces/default/pods';

describe('who may', () => {
  beforeAll(async () => {
    await server.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await server.create(
      rbacPath('clusterrolebindings'),
      binding('ClusterRoleBinding', 'viewers', 'ClusterRole/view', 'Group viewers'),
    );
    await server.create(rbacPath('rolebindings', 'team'), binding('RoleBinding', 'editor', 'ClusterRole/edit', 'User ed'));
    await server.create(rbacPath('rolebindings', 'team'), binding('RoleBinding', 'dangling', 'Role/gone', 'User dan'));
    await server.create(
      rbacPath('clusterroles'),
      role('ClusterRole', 'narrow', {
        apiGroups: [''],
        resources: ['configmaps', 'pods/log'],
        resourceNames: ['one'],
        verbs: ['get', 'list', 'create'],
      }),
    );
    await server.create(
      rbacPath('clusterrolebindings'),
      binding('ClusterRoleBinding', 'narrow', 'ClusterRole/narrow', 'User nora'),
    );
    await server.create(
      rbacPath('clusterroles'),
      role('ClusterRole', 'subs', { apiGroups: ['*'], resources: ['*/status'], verbs: ['*'] }),
    );
    await server.create(rbacPath('clusterrolebindings'), binding('ClusterRoleBinding', 'subs', 'ClusterRole/subs', 'User sue'));
  });

  test.each([
    ['an administrator, anything', 'admin', 'GET', pods, 200],
    ['nobody special, discovery', 'alice', 'GET', '/apis', 200],
    ['nobody special, the version', 'alice', 'GET', '/version', 200],
    ['nobody special, no objects', 'alice', 'GET', pods, 403],
    ['nobody special, not even what is not there', 'alice', 'GET', '/api/v1/namespaces/default/nothings', 403],
    ['a viewer, lists everywhere', 'vic:viewers', 'GET', '/api/v1/pods', 200],
    ['a viewer, no Secrets', 'vic:viewers', 'GET', '/api/v1/secrets', 403],
    ['a viewer, no writes', 'vic:viewers', 'DELETE', `${pods}/p`, 403],
    ['an editor, in the namespace', 'ed', 'GET', '/api/v1/namespaces/team/secrets', 200],
    ['an editor, the namespace itself', 'ed', 'GET', '/api/v1/namespaces/team', 200],
    ['an editor, no other namespace', 'ed', 'GET', '/api/v1/namespaces/default/secrets', 403],
    ['an editor, not all namespaces', 'ed', 'GET', '/api/v1/secrets', 403],
    ['an editor, no roles', 'ed', 'GET', rbacPath('roles', 'team'), 403],
    ['a name, its object', 'nora', 'GET', '/api/v1/namespaces/default/configmaps/one', 404],
    ['a name, no other object', 'nora', 'GET', '/api/v1/namespaces/default/configmaps/two', 403],
    ['a name, no list', 'nora', 'GET', '/api/v1/namespaces/default/configmaps', 403],
    [
      'a name, a list of that name alone',
      'nora',
      'GET',
      '/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Done',
      200,
    ],
    ['a name, a watch counts as watch', 'nora', 'GET', '/api/v1/namespaces/default/configmaps/one?watch=1', 404],
    ['every status, a status', 'sue', 'GET', '/apis/apps/v1/namespaces/default/deployments/d/status', 404],
    ['every status, no object', 'sue', 'GET', '/apis/apps/v1/namespaces/default/deployments/d', 403],
    ['every status, no other part', 'sue', 'GET', '/apis/apps/v1/namespaces/default/deployments/d/scale', 403],
    ['the case of names counts', 'Ed', 'GET', '/api/v1/namespaces/team/secrets', 403],
  ])('%s', async (_name, token, method, path, code) => {
    const answer = await server.send(method, path, { token });
    expect(answer.code, answer.text).toBe(code);
  });

  test.each([
    [
      'in a namespace',
      'GET',
      pods,
      'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'of one object',
      'DELETE',
      `${pods}/p`,
      'pods "p" is forbidden: User "alice" cannot delete resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'of all namespaces',
      'GET',
      '/apis/apps/v1/deployments',
      'deployments.apps is forbidden: User "alice" cannot list resource "deployments" in API group "apps" at the cluster scope',
    ],
    [
      'of a part',
      'GET',
      `${pods}/p/log`,
      'pods "p" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "default"',
    ],
    ['of a path', 'GET', '/metrics', 'forbidden: User "alice" cannot get path "/metrics"'],
  ])('a refusal %s says what and where', async (_name, method, path, message) => {
    const answer = await server.send(method, path, { token: 'alice' });
    expect(answer.json()).toMatchObject({ code: 403, reason: 'Forbidden', message });
  });

  test('a missing role is named', async () => {
    const answer = await server.send('GET', '/api/v1/namespaces/team/pods', { token: 'dan' });
    expect(answer.json().message).toBe(
      'pods is forbidden: User "dan" cannot list resource "pods" in API group "" in the namespace "team": RBAC: role.rbac.authorization.k8s.io "gone" not found',
    );
  });

  test('a binding counts from its creation to its end', async () => {
    const path = rbacPath('rolebindings', 'default');
    const list = () => server.send('GET', pods, { token: 'late' });
    expect((await list()).code).toBe(403);
    await server.create(path, binding('RoleBinding', 'late', 'ClusterRole/view', 'User late'));
    expect((await list()).code).toBe(200);
    await server.send('DELETE', `${path}/late`);
    expect((await list()).code).toBe(403);
  });
});

describe('U01 credentials', () => {
  test.each([
    ['none', '', {}, 401],
    ['blank', '', { Authorization: 'Bearer ' }, 401],
    ['garbled', '', { Authorization: 'Bearer \u00ff\u00fe' }, 401],
    ['three dots', '', { Authorization: 'Bearer a..b..c' }, 401],
    ['huge', 'x'.repeat(100_000), {}, 401],
    ['another scheme', '', { Authorization: 'Basic YWRtaW46YWRtaW4=' }, 401],
  ])('%s: 401 without an echo', async (_name, token, headers: Record<string, string>, code) => {
    const fresh = token === '' && headers.Authorization === undefined ? {} : headers;
    const answer = await server.send('GET', pods, { token: token === '' ? '' : `..${token}`, headers: fresh });
    expect(answer.code).toBe(code);
    expect(answer.json().message).toBe('Unauthorized');
  });

  test.each(['/healthz', '/livez', '/readyz', '/version'])('%s is for everybody', async (path) => {
    expect((await server.send('GET', path, { token: '' })).code).toBe(200);
  });

  test('a wrong token is refused even there', async () => {
    expect((await server.send('GET', '/version', { token: 'a..b' })).code).toBe(401);
  });

  test('a certificate that the listener has verified names the user', async () => {
    const connection = { certificate: { name: 'carol', groups: ['viewers'] } };
    const answer = await server.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      token: '',
      connection,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(answer.json().status.userInfo).toEqual({ username: 'carol', groups: ['viewers', 'system:authenticated'] });
  });
});

describe('U06 nobody grants what he does not hold', () => {
  beforeAll(async () => {
    const { create } = server;
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'esc' } });
    const rbac = { apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'] };
    await create(
      rbacPath('clusterroles'),
      role(
        'ClusterRole',
        'granter',
        { ...rbac, verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
      ),
    );
    await create(
      rbacPath('clusterrolebindings'),
      binding('ClusterRoleBinding', 'granter', 'ClusterRole/granter', 'User greg', 'User bea', 'User esme'),
    );
    await create(rbacPath('clusterroles'), role('ClusterRole', 'binder', { ...rbac, verbs: ['bind'], resourceNames: ['view'] }));
    await create(rbacPath('clusterrolebindings'), binding('ClusterRoleBinding', 'binder', 'ClusterRole/binder', 'User bea'));
    await create(rbacPath('clusterroles'), role('ClusterRole', 'escalator', { ...rbac, verbs: ['escalate'] }));
    await create(
      rbacPath('clusterrolebindings'),
      binding('ClusterRoleBinding', 'escalator', 'ClusterRole/escalator', 'User esme'),
    );
  });

  const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] };
  const podsOnly = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

  test.each([
    ['a role within his rights', 'greg', 'roles', role('Role', 'r1', podsOnly), 201],
    ['a role beyond them', 'greg', 'roles', role('Role', 'r2', secrets), 403],
    ['a role beyond them, with escalate', 'esme', 'roles', role('Role', 'r3', secrets), 201],
    ['a name of what he holds whole', 'greg', 'roles', role('Role', 'r4', { ...podsOnly, resourceNames: ['x'] }), 201],
    [
      'a binding to what he does not hold',
      'greg',
      'rolebindings',
      binding('RoleBinding', 'b1', 'ClusterRole/view', 'User x'),
      403,
    ],
    ['a binding to what he may bind', 'bea', 'rolebindings', binding('RoleBinding', 'b2', 'ClusterRole/view', 'User x'), 201],
    ['a binding to another role', 'bea', 'rolebindings', binding('RoleBinding', 'b3', 'ClusterRole/edit', 'User x'), 403],
    ['a binding to a role within his rights', 'greg', 'rolebindings', binding('RoleBinding', 'b4', 'Role/r1', 'User x'), 201],
    ['a binding to a role that is not there', 'greg', 'rolebindings', binding('RoleBinding', 'b5', 'Role/none', 'User x'), 404],
    ['anything for an administrator', 'admin', 'rolebindings', binding('RoleBinding', 'b6', 'Role/none', 'User x'), 201],
  ])('%s', async (_name, token, plural, body, code) => {
    const answer = await server.send('POST', rbacPath(plural, 'esc'), { token, body });
    expect(answer.code, answer.text).toBe(code);
  });

  test('the refusal lists what is missing', async () => {
    const body = role('Role', 'r5', secrets, {
      apiGroups: ['apps'],
      resources: ['deployments'],
      resourceNames: ['d'],
      verbs: ['get'],
    });
    const answer = await server.send('POST', rbacPath('roles', 'esc'), { token: 'greg', body });
    expect(answer.json().message).toBe(
      'roles.rbac.authorization.k8s.io "r5" is forbidden: user "greg" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}\n' +
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["d"], Verbs:["get"]}',
    );
  });

  test('rights in one namespace are none in another', async () => {
    await server.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'esc2' } });
    await server.create(rbacPath('rolebindings', 'esc2'), binding('RoleBinding', 'own', 'ClusterRole/admin', 'User greg'));
    const body = role('Role', 'r6', secrets);
    expect((await server.send('POST', rbacPath('roles', 'esc2'), { token: 'greg', body })).code).toBe(201);
    expect((await server.send('POST', rbacPath('roles', 'esc'), { token: 'greg', body })).code).toBe(403);
  });

  test('a role that gathers others takes all rights', async () => {
    const body = { ...role('ClusterRole', 'agg'), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
    const answer = await server.send('POST', rbacPath('clusterroles'), { token: 'greg', body });
    expect(answer.json().message).toBe(
      'clusterroles.rbac.authorization.k8s.io "agg" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
  });

  test('an update beyond his rights, by PUT, by patch and by apply', async () => {
    const path = `${rbacPath('roles', 'esc')}/r1`;
    const put = await server.send('PUT', path, { token: 'greg', body: role('Role', 'r1', secrets) });
    const type = 'application/merge-patch+json';
    const patch = await server.send('PATCH', path, { token: 'greg', type, body: { rules: [secrets] } });
    const apply = await server.send('PATCH', `${path}?fieldManager=m&force=true`, {
      token: 'greg',
      type: 'application/apply-patch+yaml',
      body: role('Role', 'r1', secrets),
    });
    expect([put.code, patch.code, apply.code]).toEqual([403, 403, 403]);
    expect((await server.send('GET', path)).json().rules).toEqual([podsOnly]);
  });

  test('PUT of a role that is not there is a grant too', async () => {
    const put = await server.send('PUT', `${rbacPath('roles', 'esc')}/r9`, { token: 'greg', body: role('Role', 'r9', secrets) });
    expect(put.code).toBe(403);
  });

  test('what a binding binds stays', async () => {
    const body = binding('RoleBinding', 'b4', 'Role/r3', 'User x');
    const answer = await server.send('PUT', `${rbacPath('rolebindings', 'esc')}/b4`, { body });
    expect(answer.code).toBe(422);
    expect(answer.json().message).toContain('cannot change roleRef');
  });
});
