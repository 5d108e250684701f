import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import type { ReceivedMessage } from '../../../shared/ports/work-queue.ts';
import { createBatchHandler } from '../../../shared/runtime/batch.ts';
import type { WorkMessage } from '../../../shared/runtime/messages.ts';
import { done, type ReconcileResult, requeueAfter, terminal } from '../../../shared/runtime/reconcile.ts';
import { type Outgoing, toMessage } from '../../../shared/runtime/send.ts';

const cluster = (name: string, attempt = 0): WorkMessage => ({ type: 'cluster', cluster: name, attempt });
let count = 0;
const received = (work: WorkMessage, overrides: Partial<ReceivedMessage> = {}): ReceivedMessage => {
  count += 1;
  const message = toMessage({ work, cause: `cause ${count}` });
  return { ...message, id: `m${count}`, receipt: `r${count}`, receives: 1, sentAt: 0, ...overrides };
};

function setup(reconcile: (work: WorkMessage) => Promise<ReconcileResult | undefined>) {
  const clock = fakeClock(1_000);
  const log = memoryLog();
  const sent: { outgoing: Outgoing; at: number | undefined }[] = [];
  const sender = {
    send: async (outgoing: readonly Outgoing[]) => void sent.push(...outgoing.map((one) => ({ outgoing: one, at: undefined }))),
    sendLater: async (outgoing: Outgoing, at: number) => void sent.push({ outgoing, at }),
  };
  const handler = createBatchHandler({ sender, clock, log }, { name: 'clusters', reconcile, timeoutMs: 500 });
  return { handler, clock, log, sent };
}

describe('batch handler', () => {
  test('one poisoned message fails alone', async () => {
    const { handler, log } = setup(async (work) => {
      if (work.type === 'cluster' && work.cluster === 'bad') throw new Error('boom');
      return done('fine');
    });
    const messages = [received(cluster('a')), received(cluster('bad')), received(cluster('c'))];
    expect((await handler(messages)).failed).toEqual([messages[1]?.id]);
    expect(log.entries.some(({ level, message }) => level === 'error' && message.includes('cluster bad'))).toBe(true);
  });

  test('after a failure the rest of its group comes back too, in order', async () => {
    const seen: string[] = [];
    const { handler } = setup(async (work) => {
      seen.push(work.type === 'ownerGone' ? work.uid : '');
      throw new Error('boom');
    });
    const first = received({ type: 'ownerGone', uid: '1', attempt: 0 }, { groupId: 'g' });
    const second = received({ type: 'ownerGone', uid: '2', attempt: 0 }, { groupId: 'g' });
    expect((await handler([first, second])).failed).toEqual([first.id, second.id]);
    expect(seen).toEqual(['1']);
  });

  test('of several messages about one key the last is handled, and all are done', async () => {
    const seen: number[] = [];
    const { handler } = setup(async (work) => {
      seen.push(work.attempt);
      return done('');
    });
    expect((await handler([0, 1, 2].map((attempt) => received(cluster('a', attempt))))).failed).toEqual([]);
    expect(seen).toEqual([2]);
  });

  test.each([
    ['requeueAfter becomes a timer with the next attempt', requeueAfter(250, 'wait'), { attempt: 4, at: 1_250 }],
    ['requeueAfter 0 is sent at once', requeueAfter(0, 'again'), { attempt: 4, at: undefined }],
    ['done sends nothing', done(''), undefined],
    ['terminal sends nothing', terminal('Why', 'because'), undefined],
  ])('%s', async (_sentence, result, want) => {
    const { handler, sent } = setup(async () => result);
    expect((await handler([received(cluster('a', 3))])).failed).toEqual([]);
    expect(sent.map(({ outgoing, at }) => ({ attempt: outgoing.work.attempt, at }))).toEqual(want ? [want] : []);
  });

  test('a delivery that is repeated asks for the same retry', async () => {
    const { handler, sent } = setup(async () => requeueAfter(10, 'wait'));
    const message = received(cluster('a'));
    await handler([message]);
    await handler([message]);
    const [first, second] = sent.map(({ outgoing }) => toMessage(outgoing).dedupeId);
    expect(first).toBe(second);
  });

  test.each([
    ['not JSON', '{'],
    ['not an object', '[]'],
    ['an unknown type', '{"type":"dance","attempt":0}'],
    ['no attempt', '{"type":"pass"}'],
  ])('a body that is %s fails and ends in the dead letters', async (_sentence, body) => {
    const { handler } = setup(async () => done(''));
    const message = received(cluster('a'), { body });
    expect((await handler([message])).failed).toEqual([message.id]);
  });

  test('work of another function fails', async () => {
    const { handler } = setup(async () => undefined);
    const message = received(cluster('a'));
    expect((await handler([message])).failed).toEqual([message.id]);
  });

  test('work that does not end fails at its deadline', async () => {
    const { handler, clock } = setup(() => new Promise(() => undefined));
    const message = received(cluster('a'));
    const result = handler([message]);
    await clock.advance(500);
    expect((await result).failed).toEqual([message.id]);
  });
});
