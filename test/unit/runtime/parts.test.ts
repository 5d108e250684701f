import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import type { RecordWrite } from '../../../shared/ports/object-store.ts';
import { BREAKER_FAILURES, BREAKER_OPEN_MAX_MS, BREAKER_OPEN_MS, createBreakers } from '../../../shared/runtime/breaker.ts';
import { createKeyedLimit, createLimit } from '../../../shared/runtime/concurrency.ts';
import { DeadlineError, withDeadline } from '../../../shared/runtime/deadline.ts';
import type { WorkMessage } from '../../../shared/runtime/messages.ts';
import { createRecordWriter } from '../../../shared/runtime/record-writer.ts';
import { backoffMs } from '../../../shared/runtime/retry.ts';
import { identityOf, parseWork, toMessage } from '../../../shared/runtime/send.ts';

describe('backoff', () => {
  test('grows by doubling, stays within its limits, and is the same every time', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.string(), (attempt, key) => {
        const pause = backoffMs(attempt, key);
        expect(pause).toBe(backoffMs(attempt, key));
        expect(pause).toBeLessThanOrEqual(60_000);
        expect(pause).toBeGreaterThanOrEqual(Math.min(60_000, 500 * 2 ** Math.min(attempt, 30)) * 0.75 - 1);
      }),
    );
  });
});

describe('messages', () => {
  const ref = { scope: 'apps/deployments', namespace: 'default', name: 'web' };
  const works: WorkMessage[] = [
    { type: 'schedule', source: ref, attempt: 0 },
    { type: 'dispatch', federated: ref, cluster: 'eu-1', attempt: 0 },
    { type: 'dispatch', federated: ref, cluster: 'us-1', attempt: 0 },
    { type: 'status', federated: ref, attempt: 0 },
    { type: 'cluster', cluster: 'eu-1', attempt: 0 },
    { type: 'ownerGone', uid: 'u', attempt: 0 },
    { type: 'deleting', object: ref, attempt: 0 },
    { type: 'namespace', name: 'shop', attempt: 0 },
    { type: 'pass', attempt: 0 },
  ];

  test('every kind of work has its own identity, survives the queue, and fits into what SQS takes', () => {
    expect(new Set(works.map(identityOf)).size).toBe(works.length);
    for (const work of works) {
      const message = toMessage({ work, cause: 'x'.repeat(1_000) });
      expect(parseWork(message.body)).toEqual(work);
      expect(message.dedupeId).toMatch(/^[0-9a-f]{1,128}$/);
      expect(message.groupId).toMatch(/^[0-9a-f]{1,128}$/);
    }
  });

  test('the same work is one message per cause and attempt', () => {
    const work: WorkMessage = { type: 'cluster', cluster: 'eu-1', attempt: 0 };
    const id = (attempt: number, cause: string) => toMessage({ work: { ...work, attempt }, cause }).dedupeId;
    expect(id(0, 'a')).toBe(id(0, 'a'));
    expect(new Set([id(0, 'a'), id(0, 'b'), id(1, 'a')]).size).toBe(3);
  });
});

describe('breaker', () => {
  const setup = () => {
    const clock = fakeClock(0);
    return { clock, breakers: createBreakers(clock) };
  };
  const fail = (breakers: ReturnType<typeof createBreakers>, times: number) => {
    for (let time = 0; time < times; time += 1) breakers.failure('eu-1');
  };

  test('opens at the third failure in a row, for this cluster only', () => {
    const { breakers } = setup();
    fail(breakers, BREAKER_FAILURES - 1);
    expect(breakers.isAccepting('eu-1')).toBe(true);
    breakers.success('eu-1');
    fail(breakers, BREAKER_FAILURES);
    expect(breakers.isAccepting('eu-1')).toBe(false);
    expect(breakers.isAccepting('us-1')).toBe(true);
  });

  test('lets one trial through when its time is over; failing doubles the time up to five minutes', async () => {
    const { breakers, clock } = setup();
    fail(breakers, BREAKER_FAILURES);
    for (let openMs = BREAKER_OPEN_MS; ; openMs = Math.min(openMs * 2, BREAKER_OPEN_MAX_MS)) {
      await clock.advance(openMs - 1);
      expect(breakers.ask('eu-1').type).toBe('open');
      await clock.advance(1);
      expect(breakers.ask('eu-1').type).toBe('trial');
      expect(breakers.ask('eu-1').type).toBe('open');
      breakers.failure('eu-1');
      if (clock.now() > 3_000_000) break;
    }
    breakers.success('eu-1');
    expect(breakers.ask('eu-1').type).toBe('closed');
  });

  test('reset says whether it was open', () => {
    const { breakers } = setup();
    fail(breakers, 1);
    expect(breakers.reset('eu-1')).toBe(false);
    fail(breakers, BREAKER_FAILURES);
    expect(breakers.reset('eu-1')).toBe(true);
    expect(breakers.isAccepting('eu-1')).toBe(true);
  });
});

describe('limits', () => {
  test('never more than the limit run, all run, in order', async () => {
    const limit = createLimit(3);
    let active = 0;
    let most = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        limit.run(async () => {
          active += 1;
          most = Math.max(most, active);
          order.push(index);
          await Promise.resolve();
          active -= 1;
        }),
      ),
    );
    expect(most).toBe(3);
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  const keyed = () => {
    const clock = fakeClock(0);
    const running = { a: 0, b: 0 };
    const limit = createKeyedLimit(3, { clock, slowMs: 100, slowMax: 1 });
    const ends: (() => void)[] = [];
    const start = (key: 'a' | 'b') =>
      limit.run(key, async () => {
        running[key] += 1;
        await new Promise<void>((resolve) => ends.push(resolve));
        running[key] -= 1;
      });
    return { clock, limit, running, ends, start };
  };

  test('a failing task frees its place', async () => {
    const { limit } = keyed();
    await expect(limit.run('a', () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
    expect(await limit.run('a', async () => 'next')).toEqual({ type: 'done', value: 'next' });
  });

  test('who finds no place waits, but not for a key whose tasks take long; other keys are free', async () => {
    const { clock, running, ends, start } = keyed();
    const begun = Array.from({ length: 5 }, () => start('a'));
    await clock.advance(50);
    expect(running.a).toBe(3);
    ends.shift()?.();
    await clock.advance(0);
    expect(running.a).toBe(3);
    await clock.advance(100);
    expect((await Promise.all(begun.slice(4))).map(({ type }) => type)).toEqual(['slow']);
    expect(await start('a')).toEqual({ type: 'slow' });
    void start('b');
    await clock.advance(0);
    expect(running.b).toBe(1);
  });

  test('a slow key gets few places until it was quick again', async () => {
    const { clock, running, ends, start } = keyed();
    void start('a');
    await clock.advance(200);
    ends.shift()?.();
    await clock.advance(0);
    void start('a');
    void start('a');
    await clock.advance(10);
    expect(running.a).toBe(1);
    ends.shift()?.();
    await clock.advance(0);
    void start('a');
    await clock.advance(0);
    expect(running.a).toBe(2);
  });
});

describe('deadline', () => {
  test('work that ends in time gives its value and leaves no timer', async () => {
    const clock = fakeClock(0);
    expect(await withDeadline(clock, 100, async () => 7)).toBe(7);
    expect(clock.sleepers()).toBe(0);
  });

  test('work that is late is told so and rejects', async () => {
    const clock = fakeClock(0);
    let reason: unknown;
    const late = withDeadline(clock, 100, (signal) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      return new Promise(() => undefined);
    });
    const outcome = expect(late).rejects.toThrow(DeadlineError);
    await clock.advance(100);
    await outcome;
    expect(reason).toBeInstanceOf(DeadlineError);
  });
});

describe('record writer', () => {
  const setup = (stale: (write: RecordWrite) => boolean = () => false) => {
    const clock = fakeClock(0);
    const batches: (readonly RecordWrite[])[] = [];
    const write = async (records: readonly RecordWrite[]) => {
      batches.push(records);
      return { stale: records.filter(stale) };
    };
    return { clock, batches, writer: createRecordWriter({ write }, clock, { gatherMs: 10, max: 4 }) };
  };
  const record = (cluster: string): RecordWrite => ({ owner: 'o', cluster, body: '{}' });

  test('those who are at work together share one write', async () => {
    const { writer, batches } = setup();
    const ends = ['a', 'b', 'c'].map(() => writer.begin());
    const written = ['a', 'b', 'c'].map((cluster) => writer.write(record(cluster)));
    expect(await Promise.all(written)).toEqual([true, true, true]);
    expect(batches.map((batch) => batch.length)).toEqual([3]);
    for (const end of ends) end();
  });

  test('one who is slow is waited for 10 ms, no longer', async () => {
    const { writer, batches, clock } = setup();
    writer.begin();
    const endSlow = writer.begin();
    const written = writer.write(record('a'));
    await clock.advance(9);
    expect(batches).toHaveLength(0);
    await clock.advance(1);
    expect(await written).toBe(true);
    endSlow();
    expect(batches).toHaveLength(1);
  });

  test('one who ends without a record holds nobody up', async () => {
    const { writer, batches } = setup();
    writer.begin();
    const endOther = writer.begin();
    const written = writer.write(record('a'));
    endOther();
    expect(await written).toBe(true);
    expect(batches).toHaveLength(1);
  });

  test('a record that was stale says so, its companions do not', async () => {
    const { writer } = setup(({ cluster }) => cluster === 'b');
    for (let worker = 0; worker < 2; worker += 1) writer.begin();
    expect(await Promise.all([writer.write(record('a')), writer.write(record('b'))])).toEqual([true, false]);
  });
});
