/** What every WorkQueue does: SQS FIFO's behaviour, as a caller sees it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FakeClock } from '../../shared/adapters/memory/clock.ts';
import type { Message, ReceivedMessage, WorkQueue } from '../../shared/ports/work-queue.ts';

/** A fresh, empty queue that kills a message after five deliveries, with its clock. */
export type OpenQueue = () => Promise<{ queue: WorkQueue; clock: FakeClock; close(): Promise<void> }>;

const VISIBILITY_MS = 30_000;
const MINUTE_MS = 60_000;

let sent = 0;
/** A message with an id of its own. */
function message(given: Partial<Message> = {}): Message {
  sent += 1;
  return { queue: 'work', groupId: 'g', dedupeId: `d${sent}`, body: `b${sent}`, ...given };
}

/** The suite for queues. */
export function workQueueContract(name: string, open: OpenQueue): void {
  describe(`work queue: ${name}`, () => {
    let opened: Awaited<ReturnType<OpenQueue>>;
    let queue: WorkQueue;
    let clock: FakeClock;
    beforeEach(async () => {
      opened = await open();
      queue = opened.queue;
      clock = opened.clock;
    });
    afterEach(() => opened.close());

    const receive = (options: Partial<Parameters<WorkQueue['receive']>[0]> = {}) =>
      queue.receive({ queue: 'work', max: 10, visibilityMs: VISIBILITY_MS, waitMs: 0, ...options });
    const bodiesOf = (messages: readonly ReceivedMessage[]) => messages.map(({ body }) => body);

    test('a message arrives whole, once', async () => {
      const first = message({ body: '{"ü":"漢😀"}' });
      await queue.send([first]);
      const [got, ...rest] = await receive();
      expect(rest).toEqual([]);
      expect(got).toMatchObject({ ...first, receives: 1, sentAt: clock.now() });
      expect(await receive()).toEqual([]);
      await queue.acknowledge(got ? [got] : []);
      await clock.advance(VISIBILITY_MS + 1);
      expect(await receive()).toEqual([]);
      expect(await queue.depth('work')).toBe(0);
    });

    test('messages of a group arrive in the order they were sent', async () => {
      for (const body of ['1', '2', '3']) await queue.send([message({ body })]);
      await queue.send([message({ body: '4' }), message({ body: '5' })]);
      const got: string[] = [];
      for (let i = 0; i < 10 && got.length < 5; i += 1) {
        const batch = await receive({ max: 2 });
        got.push(...bodiesOf(batch));
        await queue.acknowledge(batch);
      }
      expect(got).toEqual(['1', '2', '3', '4', '5']);
    });

    test('what is in flight holds back its group, and no other', async () => {
      await queue.send([
        message({ body: 'a1', groupId: 'a' }),
        message({ body: 'a2', groupId: 'a' }),
        message({ body: 'b1', groupId: 'b' }),
      ]);
      const first = await receive({ max: 1 });
      expect(bodiesOf(first)).toEqual(['a1']);
      const second = await receive();
      expect(bodiesOf(second)).toEqual(['b1']);
      expect(await receive()).toEqual([]);
      await queue.acknowledge(first);
      expect(bodiesOf(await receive())).toEqual(['a2']);
    });

    test('no receiver goes above its maximum, and many groups share one batch', async () => {
      await queue.send(Array.from({ length: 15 }, (_, i) => message({ groupId: `g${i}` })));
      expect(await receive({ max: 10 })).toHaveLength(10);
      expect(await receive({ max: 3 })).toHaveLength(3);
      expect(await receive({ max: 10 })).toHaveLength(2);
    });

    test('queues do not see each other', async () => {
      await queue.send([message({ queue: 'other', dedupeId: 'same' }), message({ dedupeId: 'same', body: 'mine' })]);
      expect(bodiesOf(await receive())).toEqual(['mine']);
      expect(await queue.depth('other')).toBe(1);
    });

    test('an id seen within five minutes is accepted and dropped, even after the message was handled', async () => {
      await queue.send([message({ dedupeId: 'x', body: 'first' })]);
      await queue.send([message({ dedupeId: 'x', body: 'second' })]);
      const got = await receive();
      expect(bodiesOf(got)).toEqual(['first']);
      await queue.acknowledge(got);
      await clock.advance(4 * MINUTE_MS);
      await queue.send([message({ dedupeId: 'x', body: 'third' })]);
      expect(await receive()).toEqual([]);
      await clock.advance(MINUTE_MS);
      await queue.send([message({ dedupeId: 'x', body: 'fourth' })]);
      expect(bodiesOf(await receive())).toEqual(['fourth']);
    });

    test('an id twice in one call counts once', async () => {
      await queue.send([message({ dedupeId: 'x', body: 'first' }), message({ dedupeId: 'x', body: 'second' })]);
      expect(bodiesOf(await receive())).toEqual(['first']);
    });

    test('unacknowledged, it comes back after the visibility timeout, before what was sent later', async () => {
      await queue.send([message({ body: '1' }), message({ body: '2' })]);
      await receive({ max: 1 });
      await clock.advance(VISIBILITY_MS - 1);
      expect(await receive()).toEqual([]);
      await clock.advance(1);
      const again = await receive();
      expect(again.map(({ body, receives }) => `${body} ${receives}`)).toEqual(['1 2', '2 1']);
    });

    test('a receipt of an earlier delivery acknowledges nothing', async () => {
      await queue.send([message({ body: '1' })]);
      const early = await receive();
      await clock.advance(VISIBILITY_MS);
      const late = await receive();
      expect(bodiesOf(late)).toEqual(['1']);
      await queue.acknowledge(early);
      await clock.advance(VISIBILITY_MS);
      const third = await receive();
      expect(third).toMatchObject([{ body: '1', receives: 3 }]);
      await queue.acknowledge(third);
      await queue.acknowledge(third);
      expect(await queue.depth('work')).toBe(0);
    });

    test('released at once, it is there at once; released later, its group waits', async () => {
      await queue.send([message({ body: '1' }), message({ body: '2' })]);
      const first = await receive({ max: 1 });
      await queue.release(first, 0);
      const again = await receive({ max: 1 });
      expect(again).toMatchObject([{ body: '1', receives: 2 }]);
      await queue.release(again, 5_000);
      await clock.advance(4_999);
      expect(await receive()).toEqual([]);
      await clock.advance(1);
      expect(bodiesOf(await receive())).toEqual(['1', '2']);
    });

    test('a release may shorten and lengthen the visibility timeout', async () => {
      await queue.send([message({ body: '1' })]);
      const first = await receive();
      await queue.release(first, VISIBILITY_MS * 2);
      await clock.advance(VISIBILITY_MS + 1);
      expect(await receive()).toEqual([]);
      await clock.advance(VISIBILITY_MS);
      expect(bodiesOf(await receive())).toEqual(['1']);
    });

    test('after five deliveries it goes to the dead letters, and its group goes on', async () => {
      const poison = message({ body: 'poison' });
      await queue.send([poison, message({ body: 'next' })]);
      for (let i = 1; i <= 5; i += 1) {
        const got = await receive({ max: 1 });
        expect(got).toMatchObject([{ body: 'poison', receives: i }]);
        await queue.release(got, 0);
      }
      expect(bodiesOf(await receive())).toEqual(['next']);
      expect(await queue.deadLetters('work', 10)).toMatchObject([{ ...poison, receives: 5, diedAt: clock.now() }]);
      expect(await queue.deadLetters('other', 10)).toEqual([]);
      expect(await queue.depth('work')).toBe(1);
    });

    test('a waiting receiver is woken by a message', async () => {
      const waiting = receive({ waitMs: 20_000 });
      await queue.send([message({ body: 'now' })]);
      expect(bodiesOf(await waiting)).toEqual(['now']);
    });

    test('a waiting receiver is woken by an acknowledgement that frees a group', async () => {
      await queue.send([message({ body: '1' }), message({ body: '2' })]);
      const first = await receive({ max: 1 });
      const waiting = receive({ waitMs: 20_000 });
      await queue.acknowledge(first);
      expect(bodiesOf(await waiting)).toEqual(['2']);
    });

    test('a waiting receiver is woken when a visibility timeout ends', async () => {
      await queue.send([message({ body: '1' })]);
      await receive({ visibilityMs: 5_000 });
      const waiting = receive({ waitMs: 20_000 });
      await clock.advance(5_000);
      expect(bodiesOf(await waiting)).toEqual(['1']);
    });

    test('waiting ends with nothing after its time', async () => {
      let ended = false;
      const waiting = receive({ waitMs: 10_000 }).then((got) => {
        ended = true;
        return got;
      });
      await clock.advance(9_999);
      expect(ended).toBe(false);
      await clock.advance(1);
      expect(await waiting).toEqual([]);
    });

    test('waiting ends with nothing when its signal aborts, and no message is lost to it', async () => {
      const controller = new AbortController();
      const waiting = receive({ waitMs: 20_000, signal: controller.signal });
      controller.abort();
      expect(await waiting).toEqual([]);
      expect(await receive({ waitMs: 20_000, signal: controller.signal })).toEqual([]);
      await queue.send([message({ body: 'for another' })]);
      expect(bodiesOf(await receive())).toEqual(['for another']);
    });

    test('many receivers share the work: each message to one of them', async () => {
      const waiting = Array.from({ length: 5 }, () => receive({ max: 2, waitMs: 20_000 }));
      await queue.send(Array.from({ length: 10 }, (_, i) => message({ groupId: `g${i}`, body: String(i) })));
      const got = (await Promise.all(waiting)).flatMap(bodiesOf);
      expect(got.sort()).toEqual(Array.from({ length: 10 }, (_, i) => String(i)));
    });

    test.each([
      ['seconds', 5_000],
      ['longer than SQS can delay', 60 * MINUTE_MS],
    ])('sendLater by %s: not before its time, then at once', async (_case, delayMs) => {
      const at = clock.now() + delayMs;
      await queue.sendLater(message({ body: 'later' }), at);
      expect(await receive()).toEqual([]);
      await clock.advance(delayMs - 1_000);
      const waiting = receive({ waitMs: 10_000 });
      await clock.advance(999);
      expect(await queue.depth('work')).toBe(0);
      await clock.advance(1);
      expect(bodiesOf(await waiting)).toEqual(['later']);
    });

    test('sendLater to the past is sent now; timers fire in the order of their time; ids count when they fire', async () => {
      await queue.sendLater(message({ body: 'past' }), clock.now() - 1);
      expect(bodiesOf(await receive())).toEqual(['past']);
      await queue.sendLater(message({ body: 'second', groupId: 'h' }), clock.now() + 2_000);
      await queue.sendLater(message({ body: 'first', groupId: 'h', dedupeId: 'twice' }), clock.now() + 1_000);
      await queue.sendLater(message({ body: 'again', groupId: 'h', dedupeId: 'twice' }), clock.now() + 3_000);
      await clock.advance(5_000);
      expect(bodiesOf(await receive())).toEqual(['first', 'second']);
    });

    test.each([
      ['a group id of 129 characters', { groupId: 'x'.repeat(129) }],
      ['an empty group id', { groupId: '' }],
      ['a group id with a space', { groupId: 'a b' }],
      ['a deduplication id of 129 characters', { dedupeId: 'x'.repeat(129) }],
      ['a deduplication id beyond ASCII', { dedupeId: 'ü' }],
      ['an empty body', { body: '' }],
      ['a body over 256 KiB', { body: 'ü'.repeat(128 * 1024 + 1) }],
      ['a control character', { body: 'a\u0001' }],
      ['half a surrogate pair', { body: 'a\uD83D' }],
      ['a queue name with a slash', { queue: 'a/b' }],
    ])('%s is refused, and the rest of the call with it', async (_case, given) => {
      await expect(queue.send([message(), message(given)])).rejects.toThrow(RangeError);
      await expect(queue.sendLater(message(given), clock.now() + 1_000)).rejects.toThrow(RangeError);
      expect(await queue.depth('work')).toBe(0);
    });

    test('the largest message that SQS takes is taken', async () => {
      const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
      const largest = message({ body: 'x'.repeat(256 * 1024), groupId: 'g'.repeat(128), dedupeId: punctuation.padEnd(128, 'd') });
      await queue.send([largest]);
      const [got] = await receive();
      expect(got?.body === largest.body && got.groupId === largest.groupId && got.dedupeId === largest.dedupeId).toBe(true);
    });

    test.each([
      ['max 0', { max: 0 }],
      ['max 11', { max: 11 }],
      ['max 1.5', { max: 1.5 }],
      ['a wait over 20 s', { waitMs: 20_001 }],
      ['a visibility over 12 h', { visibilityMs: 12 * 60 * MINUTE_MS + 1 }],
      ['a negative wait', { waitMs: -1 }],
    ])('receive with %s is refused', async (_case, options) => {
      await expect(receive(options)).rejects.toThrow(RangeError);
    });

    test('a call with no messages does nothing', async () => {
      await queue.send([]);
      await queue.acknowledge([]);
      await queue.release([], 0);
      expect(await queue.depth('work')).toBe(0);
    });
  });
}
