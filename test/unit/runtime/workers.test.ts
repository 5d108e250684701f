import { expect, test } from 'vitest';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import type { BatchHandler } from '../../../shared/runtime/batch.ts';
import { createSender } from '../../../shared/runtime/send.ts';
import { runWorkers } from '../../../shared/runtime/workers.ts';

function setup(handler: BatchHandler, concurrency: number) {
  const clock = fakeClock(0);
  const medium = openMemory({ clock });
  const stop = new AbortController();
  const log = memoryLog();
  const ended = runWorkers({ queue: medium.queue, name: 'clusters', handler, concurrency, signal: stop.signal, clock, log });
  const send = (name: string) =>
    createSender(medium.queue).send([{ work: { type: 'cluster', cluster: name, attempt: 0 }, cause: 'test' }]);
  const end = async () => {
    stop.abort();
    await ended;
    await medium.close();
  };
  return { clock, medium, send, end };
}

const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

test('a slow message holds up no other, and never more than the limit are in flight', async () => {
  const open: (() => void)[] = [];
  let most = 0;
  const { send, end, medium, clock } = setup(async () => {
    await new Promise<void>((resolve) => {
      open.push(resolve);
      most = Math.max(most, open.length);
    });
    return { failed: [] };
  }, 2);
  for (const name of ['a', 'b', 'c']) await send(name);
  await turns();
  expect(most).toBe(2);
  open.splice(1, 1)[0]?.();
  await turns();
  expect(open).toHaveLength(2);
  for (const resolve of open) resolve();
  await clock.advance(10);
  await turns();
  expect(await medium.queue.depth('clusters')).toBe(0);
  await end();
});

test('what fails comes back after a pause, and what was handled does not', async () => {
  const seen: string[] = [];
  const { send, end, clock, medium } = setup(async (messages) => {
    seen.push(...messages.map(({ body }) => body));
    return { failed: seen.length === 1 ? messages.map(({ id }) => id) : [] };
  }, 4);
  await send('a');
  await turns();
  expect(seen).toHaveLength(1);
  await clock.advance(1_000);
  await turns();
  expect(seen).toHaveLength(2);
  await clock.advance(10);
  expect(await medium.queue.depth('clusters')).toBe(0);
  await end();
});
