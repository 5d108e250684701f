import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallOutcome, DispatchCall, Wanted } from '../../../../shared/federation/dispatch/actions.ts';
import { DRIFT_WINDOW_MS } from '../../../../shared/federation/dispatch/drift.ts';
import type { DispatchRecord } from '../../../../shared/federation/records.ts';
import { absent, desired, dispatchCluster, federated, input, template } from './builders.ts';
import { memberModel } from './member-model.ts';
import { playRound } from './player.ts';

const wantedOf = (image: string, decision: number, replicas = 3) => {
  const made = template(image);
  made.spec = { ...made.spec, replicas };
  return { type: 'present', desired: desired(federated({ template: made }), decision) } as const;
};

describe('rounds against real server-side apply', () => {
  test('create, nothing, update, nothing, delete', () => {
    const member = memberModel();
    const first = playRound(input(), member.call);
    const again = playRound(input({ record: first.record }), member.call);
    const next = input({ wanted: wantedOf('nginx:2', 6), decision: 6, record: again.record });
    const updated = playRound(next, member.call);
    const removed = playRound(input({ wanted: absent('deselected'), decision: 7, record: updated.record }), member.call);
    const looked = playRound(input({ wanted: absent('deselected'), decision: 7, record: removed.record }), member.call);
    expect([first, again, updated, removed, looked].map(({ calls }) => calls)).toEqual([
      ['read', 'create'],
      [],
      ['apply'],
      ['read', 'delete'],
      ['read'],
    ]);
    expect([updated.record?.state, removed.record?.state, looked.record]).toEqual(['OK', 'WaitingForRemoval', undefined]);
    expect(member.object()).toBeUndefined();
  });

  test('selected again right after its delete: the copy is made anew', () => {
    const member = memberModel();
    const { record } = playRound(input(), member.call);
    const removed = playRound(input({ wanted: absent('deselected'), decision: 6, record }), member.call);
    const again = playRound(input({ wanted: wantedOf('nginx:1', 7), decision: 7, record: removed.record }), member.call);
    expect([again.calls, again.record?.state]).toEqual([['read', 'create'], 'OK']);
  });

  test('another cluster under the same name: an attempt that fails there leaves nothing of what the old one had', () => {
    const { record } = playRound(input(), memberModel().call);
    const cluster = dispatchCluster({ uid: 'cluster-2' });
    const missing: CallOutcome = { type: 'notFound', message: 'namespaces "shop" not found', container: true };
    const failed = playRound(input({ cluster, record }), () => missing);
    expect(failed.record).toMatchObject({ state: 'CreationFailed', clusterUid: 'cluster-2', hash: '' });
    const member = memberModel();
    const again = playRound(input({ cluster, record: failed.record }), member.call);
    expect([again.calls, again.record?.state]).toEqual([['read', 'create'], 'OK']);
    expect(member.object()).toBeDefined();
  });

  test('a version that moved on is read, and then written', () => {
    const member = memberModel();
    const { record } = playRound(input(), member.call);
    member.edit('kube-controller-manager', (object) => Object.assign(object.metadata.annotations ?? {}, { seen: 'yes' }));
    const round = playRound(input({ wanted: wantedOf('nginx:2', 6), decision: 6, record }), member.call);
    expect(round.calls).toEqual(['apply', 'read', 'apply']);
    expect(member.object()?.metadata.annotations).toMatchObject({ seen: 'yes', 'lamiral.dev/decision': '6' });
  });

  test('fields of others are no drift; ours are put back three times, then it is a dispute that ends by itself', () => {
    const member = memberModel();
    let { record } = playRound(input(), member.call);
    const look = (now: number) => {
      const object = member.object();
      const round = playRound(
        input({ record, now, copy: object ? { type: 'present', object } : { type: 'absent' } }),
        member.call,
      );
      record = round.record;
      return round;
    };
    member.edit('sidecar-injector', (object) => object.spec.template.spec.containers.push({ name: 'side', image: 'side:1' }));
    expect(look(1).calls).toEqual([]);
    const scale = () => member.edit('kubectl-edit', (object) => Object.assign(object.spec, { replicas: 50 }));
    const rounds = [10, 20, 30, 40].map((now) => {
      scale();
      return look(now);
    });
    expect(rounds.map(({ calls, rest }) => calls[0] ?? rest.type)).toEqual(['apply', 'apply', 'apply', 'dispute']);
    expect(record).toMatchObject({ state: 'OwnershipDispute', message: 'spec.replicas changed in cluster c1 by kubectl-edit' });
    expect(look(50).rest.type).toBe('dispute');
    expect(look(DRIFT_WINDOW_MS + 100).calls).toEqual(['apply']);
    expect([member.object()?.spec.replicas, record?.state]).toEqual([3, 'OK']);
  });

  test('a dispute gives way to new content', () => {
    const member = memberModel();
    const { record } = playRound(input(), member.call);
    const disputed: DispatchRecord = { ...(record as DispatchRecord), state: 'OwnershipDispute', drifts: [1, 2, 3] };
    const round = playRound(input({ wanted: wantedOf('nginx:2', 6), decision: 6, record: disputed }), member.call);
    expect([round.calls, round.record?.state]).toEqual([['apply'], 'OK']);
  });

  test('retained replicas belong to whoever scales the member', () => {
    const annotations = { 'kubeadmiral.io/retain-replicas': 'true' };
    const retaining = (image: string, decision: number) =>
      desired(federated({ annotations, template: template(image) }), decision);
    const given = { federated: { uid: 'fed-1', annotations } };
    const member = memberModel();
    const { record } = playRound(input({ ...given, wanted: { type: 'present', desired: retaining('nginx:1', 5) } }), member.call);
    expect(member.object()?.spec.replicas).toBe(3);
    member.edit('hpa', (object) => Object.assign(object.spec, { replicas: 12 }));
    const seen = member.object();
    const looked = playRound(
      input({
        ...given,
        wanted: { type: 'present', desired: retaining('nginx:1', 5) },
        record,
        copy: seen ? { type: 'present', object: seen } : { type: 'absent' },
      }),
      member.call,
    );
    expect(looked.calls).toEqual([]);
    const updated = playRound(
      input({ ...given, wanted: { type: 'present', desired: retaining('nginx:2', 6) }, decision: 6, record: looked.record }),
      member.call,
    );
    expect([updated.calls, member.object()?.spec.replicas]).toEqual([['read', 'apply'], 12]);
  });

  test('an object that somebody makes between look and create is not taken', () => {
    const member = memberModel();
    const round = playRound(input(), (call) => {
      if (call.type === 'create') member.edit('helm', (object) => Object.assign(object.spec, { replicas: 1 }));
      return member.call(call);
    });
    expect([round.calls, round.record?.state, round.rest.type]).toEqual([['read', 'create', 'read'], 'AlreadyExists', 'refuse']);
    expect(round.record?.message).toContain('c1');
  });

  test('orphaning takes our marks off and leaves the object', () => {
    const member = memberModel();
    const { record } = playRound(input(), member.call);
    const annotations = { 'kubeadmiral.io/orphan': 'all' };
    const round = playRound(input({ wanted: absent('deleted'), federated: { uid: 'fed-1', annotations }, record }), member.call);
    expect([round.calls, round.record]).toEqual([['read', 'orphan'], undefined]);
    expect(member.object()?.metadata).toMatchObject({ labels: { app: 'web' }, annotations: { note: 'x' } });
    expect(JSON.stringify([member.object()?.metadata.labels, member.object()?.metadata.annotations])).not.toMatch(
      /kubeadmiral|lamiral/,
    );
  });
});

describe('outcomes', () => {
  const failing = (outcome: CallOutcome, on: DispatchCall['type']) => (call: DispatchCall) =>
    call.type === on ? outcome : memberModel().call(call);
  const cases: [sentence: string, on: DispatchCall['type'], outcome: CallOutcome, state: string][] = [
    ['refused by content', 'create', { type: 'rejected', code: 422, reason: 'Invalid', message: 'm' }, 'CreationFailed'],
    ['no namespace yet', 'create', { type: 'notFound', message: 'm', container: true }, 'CreationFailed'],
    ['no answer in time', 'create', { type: 'unreachable', reason: 'timeout', message: 'm' }, 'CreationTimedOut'],
    ['no connection', 'create', { type: 'unreachable', reason: 'refused', message: 'm' }, 'CreationFailed'],
    ['no answer to a look', 'read', { type: 'unreachable', reason: 'timeout', message: 'm' }, 'RetrievalFailed'],
  ];
  test.each(cases)('%s', (_sentence, on, outcome, state) => {
    const round = playRound(input(), failing(outcome, on));
    expect([round.rest.type, round.record?.state, round.record?.attempts, round.record?.message]).toEqual([
      'later',
      state,
      1,
      'm',
    ]);
  });

  test('a write without an answer makes the content uncertain', () => {
    const member = memberModel();
    const { record } = playRound(input(), member.call);
    const lost = playRound(input({ wanted: wantedOf('nginx:2', 6), decision: 6, record }), (call) => {
      member.call(call);
      return { type: 'unreachable', reason: 'timeout', message: 'm' };
    });
    // Back to the old content, which the record once had accepted: it must be sent all the same.
    const back = playRound(input({ wanted: wantedOf('nginx:1', 7), decision: 7, record: lost.record }), member.call);
    expect(back.calls).toEqual(['read', 'apply']);
    expect(member.object()?.spec.template.spec.containers[0].image).toBe('nginx:1');
  });
});

describe('law: whatever happens on the way, the copy ends as the last decision says', () => {
  type Step = {
    do: 'place' | 'clear' | 'edit' | 'remove' | 'round' | 'stale';
    image: number;
    fault: 'none' | 'before' | 'after' | 'crash';
  };
  const step = fc.record<Step>({
    do: fc.constantFrom('place', 'clear', 'edit', 'remove', 'round', 'stale'),
    image: fc.integer({ min: 1, max: 3 }),
    fault: fc.constantFrom('none', 'none', 'before', 'after', 'crash'),
  });

  function play(steps: readonly Step[]): void {
    const member = memberModel();
    let record: DispatchRecord | undefined = {
      state: 'PendingCreate',
      decision: 1,
      hash: '',
      clusterUid: 'cluster-1',
      attempts: 0,
      changedAt: 0,
    };
    let decision = 1;
    let wanted: Wanted = wantedOf('nginx:1', 1);
    let old: { decision: number; wanted: Wanted } = { decision, wanted };
    let now = 0;
    const round = (which: { decision: number; wanted: Wanted }, fault: Step['fault'], look: boolean): void => {
      now += DRIFT_WINDOW_MS;
      const object = member.object();
      const seen = object ? ({ type: 'present', object } as const) : ({ type: 'absent' } as const);
      const given = input({ ...which, record, now, copy: look ? seen : { type: 'unknown' } });
      const before = record;
      const played = playRound(given, (call) => {
        if (fault === 'before') return { type: 'unreachable', reason: 'timeout', message: 'lost' };
        const outcome = member.call(call);
        return fault === 'after' ? { type: 'unreachable', reason: 'timeout', message: 'lost' } : outcome;
      });
      // A crash: the calls were made, the record was not written.
      record = fault === 'crash' ? before : played.record;
    };
    for (const { do: act, image, fault } of steps) {
      if (act === 'place' || act === 'clear') {
        old = { decision, wanted };
        decision += 1;
        wanted = act === 'place' ? wantedOf(`nginx:${image}`, decision) : absent('deselected');
        // The scheduler's own transaction: a cluster that is selected has a record before the first call.
        if (act === 'place' && !record)
          record = { state: 'PendingCreate', decision, hash: '', clusterUid: 'cluster-1', attempts: 0, changedAt: 0 };
      } else if (act === 'edit' && member.object()) {
        member.edit('somebody', (object) => Object.assign(object.spec.template.spec.containers[0], { image: 'hacked' }));
      } else if (act === 'remove') member.remove();
      else if (act === 'round') round({ decision, wanted }, fault, image === 1);
      else if (act === 'stale') round(old, fault, image === 1);
    }
    for (let quiet = 0; quiet < 4; quiet += 1) round({ decision, wanted }, 'none', true);
    const copy = member.object();
    if (wanted.type !== 'present') expect([copy, record]).toEqual([undefined, undefined]);
    else {
      expect(copy?.spec.template.spec.containers[0].image).toBe(wanted.desired.object.spec.template.spec.containers[0].image);
      expect(record).toMatchObject({ state: 'OK', decision, hash: wanted.desired.hash });
    }
  }

  test('over random histories', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => play(steps)),
      { seed: 20_26, numRuns: 1500 },
    );
  });
});
