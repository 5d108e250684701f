import { describe, expect, test } from 'vitest';
import { dispatches, isDryRun, pendingCreates } from '../../../functions/scheduler/dispatches.ts';
import { followerChange, scheduleFollowers } from '../../../functions/scheduler/followers.ts';
import { createReservations } from '../../../functions/scheduler/reservations.ts';
import { createThrottle } from '../../../functions/status/throttle.ts';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { shippedTypeConfigs } from '../../../shared/apis/kubeadmiral/type-configs.ts';
import { clusterFacts } from '../../../shared/federation/clusters/facts.ts';
import type { DispatchRecord } from '../../../shared/federation/records.ts';
import { decisionOf, federatedType, federatedTypes } from '../../../shared/federation/type-config.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';

const REF = { scope: 'core.kubeadmiral.io/federatedobjects', namespace: 'default', name: 'web-deployments.apps' };
const federated = (clusters: string[], decision = 3, metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'core.kubeadmiral.io/v1alpha1',
  kind: 'FederatedObject',
  metadata: { name: REF.name, namespace: 'default', annotations: { 'lamiral.dev/decision': String(decision) }, ...metadata },
  spec: { placements: [{ controller: 'c', placement: clusters.map((cluster) => ({ cluster })) }] },
});
const record = (cluster: string, body: Partial<DispatchRecord>, version = 1) => ({
  owner: 'o',
  cluster,
  version,
  body: JSON.stringify({ state: 'OK', decision: 3, hash: 'h', clusterUid: '', attempts: 0, changedAt: 0, ...body }),
});

const cluster = (name: string, memberUid: string) =>
  clusterFacts({
    apiVersion: 'core.kubeadmiral.io/v1alpha1',
    kind: 'FederatedCluster',
    metadata: { name, annotations: { 'lamiral.dev/member-uid': memberUid } },
  });

describe('what is sent', () => {
  const clustersOf = (...args: Parameters<typeof dispatches>) =>
    dispatches(...args).map(({ work }) => (work.type === 'dispatch' ? work.cluster : ''));

  test.each([
    ['placed and never recorded', ['a', 'b'], [], ['a', 'b']],
    ['recorded with this decision: nothing', ['a'], [record('a', {})], []],
    ['recorded with an older decision', ['a'], [record('a', { decision: 2 })], ['a']],
    ['pending from the commit', ['a'], [record('a', { state: 'PendingCreate', decision: 0 })], ['a']],
    ['failed: its own retries go on', ['a'], [record('a', { state: 'UpdateFailed', attempts: 2 })], []],
    ['refused: this change may help', ['a'], [record('a', { state: 'AlreadyExists' })], ['a']],
    ['sent to the cluster that is here', ['a'], [record('a', { clusterUid: 'here' })], []],
    ['sent to another cluster that had the name', ['a'], [record('a', { clusterUid: 'gone' })], ['a']],
    ['no longer placed', [], [record('a', {})], ['a']],
    ['of another life of the object', ['a'], [record('a', { federatedUid: 'old' })], ['a']],
  ])('%s', (_sentence, placed, records, want) => {
    expect(clustersOf(REF, federated(placed), 'uid', records, [cluster('a', 'here')])).toEqual(want);
  });

  test('an object that is being deleted is sent everywhere it has a record', () => {
    const terminating = federated(['a', 'b'], 3, { deletionTimestamp: 'now' });
    expect(clustersOf(REF, terminating, 'uid', [record('a', {}), record('c', {})], [])).toEqual(['a', 'c']);
  });

  test('the same decision asks for the same messages, a later one for others', () => {
    const causes = (decision: number) => dispatches(REF, federated(['a'], decision), 'uid', [], []).map(({ cause }) => cause);
    expect(causes(3)).toEqual(causes(3));
    expect(causes(3)).not.toEqual(causes(4));
  });

  test('only clusters without a record become PendingCreate, and must still have none', () => {
    const writes = pendingCreates(REF, federated(['b', 'a']), [record('a', {})], 9);
    expect(writes.map(({ cluster, expected }) => [cluster, expected])).toEqual([['b', 0]]);
  });

  test('a dry run sends nothing as long as nothing was sent', () => {
    const dry = federated(['a'], 1, { annotations: { 'kubeadmiral.io/dry-run': 'true' } });
    expect(isDryRun(dry, [])).toBe(true);
    expect(isDryRun(dry, [record('a', {})])).toBe(false);
  });

  test('one made by hand counts by its generation', () => {
    expect(decisionOf(federated(['a'], 3))).toBe(3);
    expect(decisionOf({ ...federated(['a']), metadata: { name: 'x', generation: 4 } })).toBe(4);
  });
});

describe('followers', () => {
  const leader = { group: 'apps', kind: 'Deployment', namespace: 'default', name: 'web' };
  const leaderRef = { scope: 'apps/deployments', namespace: 'default', name: 'web' };
  const follower = (name: string) => ({ group: '', kind: 'ConfigMap', namespace: 'default', name });

  test('the list is kept from both sides, and changes are told to those who came and those who left', async () => {
    const { store } = openMemory({ clock: fakeClock(0) });
    let isTold = true;
    const change = async (...names: string[]) => {
      const made = await followerChange(store.records, leaderRef, leader, names.map(follower));
      await store.records.write([...made.records, ...(isTold ? made.afterSend : [])]);
      return { writes: made.records.length, affected: made.affected.map(({ name }) => name).sort() };
    };
    const leadersOf = async (name: string) =>
      (await store.records.ofOwner(`F#/ConfigMap#default#${name}`)).map(({ body }) => JSON.parse(body).name);
    expect(await change('a', 'b')).toEqual({ writes: 3, affected: ['a', 'b'] });
    expect(await leadersOf('a')).toEqual(['web']);
    expect(await change('a', 'b')).toEqual({ writes: 0, affected: ['a', 'b'] });
    expect(await change('b', 'c')).toEqual({ writes: 3, affected: ['a', 'b', 'c'] });
    expect(await leadersOf('a')).toEqual([]);
    isTold = false;
    expect(await change()).toEqual({ writes: 3, affected: ['b', 'c'] });
    // Died before it told them: the next turn does.
    isTold = true;
    expect((await change()).affected).toEqual(['b', 'c']);
    expect((await change()).affected).toEqual([]);
  });

  test('are asked to plan anew, by the scope of their kind', () => {
    const types = federatedTypes(shippedTypeConfigs().map(federatedType));
    const unknown = { ...follower('x'), kind: 'Unknown' };
    expect(scheduleFollowers(types, [follower('a'), unknown], 'why').map(({ work }) => work)).toEqual([
      { type: 'schedule', source: { scope: '/configmaps', namespace: 'default', name: 'a' }, attempt: 0 },
    ]);
  });
});

describe('reservations', () => {
  const cluster = (name: string, resourceVersion: string) =>
    clusterFacts({ apiVersion: 'core.kubeadmiral.io/v1alpha1', kind: 'FederatedCluster', metadata: { name, resourceVersion } });
  const placed = (owner: string, replicas: number, now: number) => ({
    owner,
    request: { cpu: 100 },
    before: new Map([['a', 1]]),
    placements: [{ cluster: 'a', replicas }],
    clusters: [cluster('a', '1')],
    now,
  });

  test('what was added counts for others, until the cluster reports anew or a minute is over', () => {
    const ledger = createReservations();
    ledger.add(placed('web', 4, 0));
    const seen = (owner: string, version: string, now: number) => ledger.amounts([cluster('a', version)], owner, now).get('a');
    expect(seen('other', '1', 1_000)).toEqual({ cpu: 300 });
    expect(seen('web', '1', 1_000)).toBeUndefined();
    expect(seen('other', '2', 1_000)).toEqual({ cpu: 300 });
    expect(seen('other', '1', 59_000)).toEqual({ cpu: 300 });
    expect(seen('other', '2', 4_000)).toBeUndefined();
  });

  test('they add up, and expire', () => {
    const ledger = createReservations();
    ledger.add(placed('web', 4, 0));
    ledger.add(placed('db', 3, 30_000));
    const at = (now: number) => ledger.amounts([cluster('a', '1')], 'other', now).get('a');
    expect(at(31_000)).toEqual({ cpu: 500 });
    expect(at(61_000)).toEqual({ cpu: 200 });
    expect(at(91_000)).toBeUndefined();
  });

  test('scaling down reserves nothing', () => {
    const ledger = createReservations();
    ledger.add(placed('web', 0, 0));
    expect(ledger.amounts([cluster('a', '1')], 'other', 1).size).toBe(0);
  });
});

describe('throttle of status writes', () => {
  test('three at once, then one per second, per object', async () => {
    const clock = fakeClock(0);
    const throttle = createThrottle(clock);
    for (let write = 0; write < 3; write += 1) {
      expect(throttle.waitMs('web', 'moving')).toBe(0);
      throttle.wrote('web');
    }
    expect(throttle.waitMs('web', 'moving')).toBe(1_000);
    expect(throttle.waitMs('db', 'moving')).toBe(0);
    await clock.advance(400);
    expect(throttle.waitMs('web', 'moving')).toBe(600);
    await clock.advance(600);
    expect(throttle.waitMs('web', 'moving')).toBe(0);
  });

  test('one that has come to rest does not wait, unless it does so again and again', () => {
    const throttle = createThrottle(fakeClock(0));
    for (let write = 0; write < 6; write += 1) {
      expect(throttle.waitMs('web', 'settled')).toBe(0);
      throttle.wrote('web');
    }
    expect(throttle.waitMs('web', 'settled')).toBe(1_000);
  });
});
