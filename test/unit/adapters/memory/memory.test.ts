/** Clocks, identifiers and logs. */
import { expect, test, vi } from 'vitest';
import { fakeClock, systemClock } from '../../../../shared/adapters/memory/clock.ts';
import { seededIds, systemIds } from '../../../../shared/adapters/memory/ids.ts';
import { consoleLog, memoryLog } from '../../../../shared/adapters/memory/log.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SUFFIX = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;

test('a fake clock wakes sleepers in the order of their time, at their time', async () => {
  const clock = fakeClock(1_000);
  const woken: string[] = [];
  const sleep = async (name: string, ms: number) => {
    await clock.sleep(ms);
    woken.push(`${name}@${clock.now()}`);
  };
  void sleep('late', 300);
  void sleep('early', 100).then(() => sleep('again', 100));
  await clock.advance(250);
  expect(woken).toEqual(['early@1100', 'again@1200']);
  expect(clock.now()).toBe(1_250);
  expect(clock.sleepers()).toBe(1);
  await clock.advance(50);
  expect(woken.at(-1)).toBe('late@1300');
});

test.each([
  ['fake', fakeClock(0)],
  ['system', systemClock()],
])('a sleep of the %s clock ends without an error when its signal aborts, before or meanwhile', async (_name, clock) => {
  await clock.sleep(60_000, AbortSignal.abort());
  const controller = new AbortController();
  const sleeping = clock.sleep(60_000, controller.signal);
  controller.abort();
  await expect(sleeping).resolves.toBeUndefined();
});

test('the system clock tells the time and wakes', async () => {
  const clock = systemClock();
  const before = Date.now();
  await clock.sleep(1);
  expect(clock.now()).toBeGreaterThanOrEqual(before);
  await clock.sleep(-1);
});

test('identifiers have the form Kubernetes gives them; seeded ones repeat', () => {
  for (const ids of [systemIds(), seededIds(1)]) {
    expect(ids.uid()).toMatch(UUID);
    expect(ids.suffix()).toMatch(SUFFIX);
    expect(new Set(Array.from({ length: 1_000 }, () => ids.uid())).size).toBe(1_000);
  }
  const take = (seed: number) => {
    const ids = seededIds(seed);
    return [ids.uid(), ids.suffix(), ids.uid()];
  };
  expect(take(7)).toEqual(take(7));
  expect(take(7)).not.toEqual(take(8));
});

test('logs: kept for tests, or one JSON line from a level on', () => {
  const kept = memoryLog();
  kept.warn('member is slow', { cluster: 'eu' });
  expect(kept.entries).toEqual([{ level: 'warn', message: 'member is slow', fields: { cluster: 'eu' } }]);
  const lines: string[] = [];
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const log = consoleLog('info');
  log.debug('no');
  log.error('failed', { error: new Error('why'), bytes: 5n });
  written.mockRestore();
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'error', message: 'failed', error: 'why', bytes: '5' },
  ]);
});
