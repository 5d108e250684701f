import { beforeEach, describe, expect, test } from 'vitest';
import { reconcileControl } from '../../../functions/sweeper/controllers/all.ts';
import type { ControlDeps } from '../../../functions/sweeper/controllers/controller.ts';
import { temporarySigner } from '../../../shared/adapters/keys/file-signer.ts';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { seededIds } from '../../../shared/adapters/memory/ids.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { legacyClaims } from '../../../shared/apis/accounts/legacy.ts';
import { builtInDefinitions } from '../../../shared/apis/built-in.ts';
import { createRegistry } from '../../../shared/apis/registry.ts';
import { fromStored } from '../../../shared/apis/stored.ts';
import { parseJwt } from '../../../shared/machinery/jwt.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { accountTokenRoute, aggregationRoute } from '../../../shared/runtime/control/access-routes.ts';
import { createObjectReader } from '../../../shared/runtime/objects.ts';
import { createOperation } from '../../../shared/runtime/operations.ts';

const ROLES = 'rbac.authorization.k8s.io/clusterroles';
const registry = createRegistry(builtInDefinitions());

let deps: ControlDeps;
let ids: ReturnType<typeof seededIds>;
beforeEach(() => {
  const clock = fakeClock(Date.UTC(2026, 0, 1));
  const { store } = openMemory({ clock });
  ids = seededIds(5);
  const { objects, lanes, index } = store;
  deps = {
    objects,
    lanes,
    index,
    reader: createObjectReader(objects),
    registry: () => registry,
    clock,
    ids,
    caCert: 'CA',
    signer: temporarySigner(),
  };
});

async function put(scope: string, object: KubeObject): Promise<KubeObject> {
  const definition = registry.byScope(scope);
  if (!definition) throw new Error(scope);
  const operation = createOperation(definition, object, { now: deps.clock.now(), uid: ids.uid() });
  const outcome = await deps.objects.write({ operations: [operation], writer: 'api' });
  expect(outcome.type).toBe('committed');
  return find(scope, object.metadata.namespace ?? '', object.metadata.name ?? '') as Promise<KubeObject>;
}

async function find(scope: string, namespace: string, name: string): Promise<KubeObject | undefined> {
  const stored = await deps.objects.get({ scope, namespace, name });
  return stored && fromStored(stored);
}

const run = (controller: string, scope: string, namespace: string, name: string) =>
  reconcileControl(deps, { controller, object: { scope, namespace, name }, attempt: 0 });

describe('a ClusterRole that gathers others', () => {
  const role = (name: string, labels: Record<string, string>, ...verbs: string[]): KubeObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels },
    rules: verbs.map((verb) => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] })),
  });
  const gathering = (name: string, ...labels: string[]): KubeObject => ({
    ...role(name, {}, 'old'),
    aggregationRule: { clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: 'true' } })) },
  });
  const verbsOf = async (name: string) =>
    (await find(ROLES, '', name))?.rules?.map((rule: { verbs: string[] }) => rule.verbs.join());

  test('holds their rules in the order of names, each once', async () => {
    await put(ROLES, role('z', { a: 'true' }, 'list', 'get'));
    await put(ROLES, role('b', { a: 'true' }, 'get'));
    await put(ROLES, role('c', { a: 'false' }, 'delete'));
    await put(ROLES, gathering('all', 'a'));
    expect((await run('cluster-role-aggregation', ROLES, '', 'all')).type).toBe('done');
    expect(await verbsOf('all')).toEqual(['get', 'list']);
  });

  test('follows several selectors, and never itself', async () => {
    await put(ROLES, role('x', { a: 'true' }, 'get'));
    await put(ROLES, role('y', { b: 'true' }, 'list'));
    const all = gathering('all', 'b', 'a');
    await put(ROLES, { ...all, metadata: { name: 'all', labels: { a: 'true' } } });
    await run('cluster-role-aggregation', ROLES, '', 'all');
    expect(await verbsOf('all')).toEqual(['list', 'get']);
  });

  test('is not written when nothing changes', async () => {
    await put(ROLES, role('x', { a: 'true' }, 'get'));
    await put(ROLES, gathering('all', 'a'));
    await run('cluster-role-aggregation', ROLES, '', 'all');
    const before = (await find(ROLES, '', 'all'))?.metadata.resourceVersion;
    await run('cluster-role-aggregation', ROLES, '', 'all');
    expect((await find(ROLES, '', 'all'))?.metadata.resourceVersion).toBe(before);
  });

  test('is woken by any other', async () => {
    await put(ROLES, role('x', {}));
    await put(ROLES, gathering('all', 'a'));
    const entry = {
      scope: ROLES,
      namespace: '',
      name: 'x',
      type: 'deleted',
      uid: '',
      resourceVersion: '1',
      writer: 'api',
      ownerUids: [],
    } as const;
    const targets = await aggregationRoute(deps).targets(entry);
    expect(targets.map(({ name }) => name)).toEqual(['all']);
  });
});

describe('a token Secret', () => {
  const secret = (annotations: Record<string, string>, type = 'kubernetes.io/service-account-token'): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'n', annotations },
    type,
  });
  const account = () =>
    put('/serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'n' } });
  const robot = { 'kubernetes.io/service-account.name': 'robot' };
  const decoded = (text: string) => Buffer.from(text, 'base64').toString('utf8');

  test('is filled for its account, once', async () => {
    const { metadata } = await account();
    await put('/secrets', secret(robot));
    await run('account-token', '/secrets', 'n', 's');
    const filled = await find('/secrets', 'n', 's');
    expect(filled?.metadata.annotations).toEqual({ ...robot, 'kubernetes.io/service-account.uid': metadata.uid });
    expect([filled?.data['ca.crt'], filled?.data.namespace].map(decoded)).toEqual(['CA', 'n']);
    const parsed = parseJwt(decoded(filled?.data.token));
    expect(parsed && legacyClaims(parsed.claims)).toEqual({
      namespace: 'n',
      account: { name: 'robot', uid: metadata.uid },
      secret: { name: 's', uid: '' },
      id: '',
    });
    await run('account-token', '/secrets', 'n', 's');
    expect((await find('/secrets', 'n', 's'))?.data.token).toBe(filled?.data.token);
  });

  test.each<[string, boolean, Record<string, string>]>([
    ['no account', false, robot],
    ['an account of another uid', true, { ...robot, 'kubernetes.io/service-account.uid': 'other' }],
  ])('goes when there is %s', async (_name, isThere, annotations) => {
    if (isThere) await account();
    await put('/secrets', secret(annotations));
    await run('account-token', '/secrets', 'n', 's');
    expect(await find('/secrets', 'n', 's')).toBeUndefined();
  });

  test('of another type is left alone', async () => {
    await put('/secrets', secret(robot, 'Opaque'));
    await run('account-token', '/secrets', 'n', 's');
    expect((await find('/secrets', 'n', 's'))?.data).toBeUndefined();
  });

  test.each([
    ['a token Secret that changed', '/secrets', 's', 'modified', ['s']],
    ['another Secret', '/secrets', 'plain', 'modified', []],
    ['an account that went', '/serviceaccounts', 'robot', 'deleted', ['s']],
    ['an account that came', '/serviceaccounts', 'robot', 'added', []],
  ] as const)('%s wakes it, or not', async (_name, scope, name, type, want) => {
    await put('/secrets', secret(robot));
    await put('/secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'plain', namespace: 'n' }, type: 'Opaque' });
    const entry = { scope, namespace: 'n', name, type, uid: '', resourceVersion: '1', writer: 'api', ownerUids: [] };
    const targets = await accountTokenRoute(deps).targets(entry);
    expect(targets.map((target) => target.name)).toEqual(want);
  });
});
