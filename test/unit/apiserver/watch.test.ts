import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { openMemory } from '../../../shared/adapters/memory/open.ts';
import { defineResource } from '../../../shared/apis/declare.ts';
import { WATCH_QUEUE_BYTES_MAX, WATCH_RING_EVENTS_MAX } from '../../../shared/apiserver/limits.ts';
import { parseSelection } from '../../../shared/apiserver/resources/selection.ts';
import { eventOf } from '../../../shared/apiserver/watch/events.ts';
import { createOutlet } from '../../../shared/apiserver/watch/outlet.ts';
import { createScopeReader, type LogEntry } from '../../../shared/apiserver/watch/reader.ts';
import type { Change, NewObject, StoredObject } from '../../../shared/ports/object-store.ts';

const WIDGETS = defineResource({
  group: 'test.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
  status: false,
  builtIn: false,
  schema: () => undefined,
});
const SCOPE = 'test.dev/widgets';

function widget(name: string, labels: Record<string, string> = {}, size = 0): NewObject {
  const body = `{"apiVersion":"test.dev/v1","kind":"Widget","metadata":{"name":"${name}"},"pad":"${'x'.repeat(size)}"}`;
  return { scope: SCOPE, namespace: 'a', name, uid: name, body, managedFields: '', labels, fields: {}, ownerUids: [] };
}
const stored = (labels: Record<string, string>): StoredObject => ({ ...widget('w', labels), resourceVersion: '128' });
const red = { color: 'red' };
const blue = { color: 'blue' };
const before = (labels: Record<string, string>) => ({ labels, fields: {}, body: '{"old":true}', managedFields: '' });

const TRANSITIONS: readonly [string, Change, string | undefined, boolean][] = [
  ['created and selected', { type: 'added', object: stored(red) }, 'ADDED', false],
  ['created and not selected', { type: 'added', object: stored(blue) }, undefined, false],
  ['changed, selected before and after', { type: 'modified', object: stored(red), before: before(red) }, 'MODIFIED', false],
  ['changed, starts to be selected', { type: 'modified', object: stored(red), before: before(blue) }, 'ADDED', false],
  ['changed, stops being selected', { type: 'modified', object: stored(blue), before: before(red) }, 'DELETED', true],
  ['changed, never selected', { type: 'modified', object: stored(blue), before: before(blue) }, undefined, false],
  ['deleted and selected', { type: 'deleted', object: stored(red), before: before(red) }, 'DELETED', false],
  ['deleted by the write that unselects it', { type: 'deleted', object: stored(blue), before: before(red) }, 'DELETED', false],
  ['deleted, never selected', { type: 'deleted', object: stored(blue), before: before(blue) }, undefined, false],
];

describe('selector transitions', () => {
  const selection = parseSelection(WIDGETS, WIDGETS, 'a', { labels: 'color=red', fields: '' });
  test.each(TRANSITIONS)('%s', (_sentence, change, type, fromBefore) => {
    const event = eventOf(selection, change);
    expect(event?.type).toBe(type);
    if (event) expect([event.fromBefore, event.content.resourceVersion]).toEqual([fromBefore, '128']);
  });

  test('another namespace is not seen', () => {
    const elsewhere = parseSelection(WIDGETS, WIDGETS, 'b', { labels: '', fields: '' });
    expect(eventOf(elsewhere, { type: 'added', object: stored(red) })).toBeUndefined();
  });
});

describe('selections', () => {
  test('a field that the kind does not offer is a 400', () => {
    expect(() => parseSelection(WIDGETS, WIDGETS, '', { labels: '', fields: 'spec.x=1' })).toThrow(
      'field label not supported: spec.x',
    );
  });

  test('name and namespace fields narrow the read', () => {
    const selection = parseSelection(WIDGETS, WIDGETS, '', { labels: '', fields: 'metadata.name=w,metadata.namespace=a' });
    expect([selection.name, selection.namespace, selection.fields]).toEqual(['w', 'a', []]);
  });

  test('a namespace field that contradicts the URL selects nothing', () => {
    const selection = parseSelection(WIDGETS, WIDGETS, 'a', { labels: '', fields: 'metadata.namespace=b' });
    expect(eventOf(selection, { type: 'added', object: stored({}) })).toBeUndefined();
  });

  test('an unequal name is kept as a requirement', () => {
    const selection = parseSelection(WIDGETS, WIDGETS, 'a', { labels: '', fields: 'metadata.name!=w' });
    expect(eventOf(selection, { type: 'added', object: stored({}) })).toBeUndefined();
  });
});

describe('the outlet of a watch', () => {
  const chunk = new Uint8Array(64 * 1024);

  test('refuses what a client does not read', () => {
    const outlet = createOutlet(
      () => undefined,
      () => undefined,
    );
    let taken = 0;
    while (outlet.push(chunk) && taken < 1000) taken += 1;
    expect(taken * chunk.length).toBeGreaterThan(WATCH_QUEUE_BYTES_MAX);
    expect(taken * chunk.length).toBeLessThan(WATCH_QUEUE_BYTES_MAX + 3 * chunk.length);
  });

  test('waits until the client has read, and says when it has gone', async () => {
    const calls: string[] = [];
    const outlet = createOutlet(
      () => calls.push('gone'),
      () => calls.push('end'),
    );
    for (let index = 0; index < 4; index += 1) outlet.push(chunk);
    const reader = outlet.stream.getReader();
    const drained = outlet.drained().then(() => calls.push('drained'));
    for (let index = 0; index < 4; index += 1) await reader.read();
    await drained;
    await reader.cancel();
    expect(calls).toEqual(['drained', 'gone', 'end']);
    expect(outlet.push(chunk)).toBe(false);
  });

  test('what was queued before the end is delivered', async () => {
    const outlet = createOutlet(
      () => undefined,
      () => undefined,
    );
    outlet.push(new TextEncoder().encode('last\n'));
    outlet.close();
    expect(await new Response(outlet.stream).text()).toBe('last\n');
  });
});

describe('the reader of a scope', () => {
  async function filled(count: number) {
    const medium = openMemory({ clock: fakeClock(0) });
    const head = Number((await medium.store.lanes.head(SCOPE)).current);
    for (let index = 0; index < count; index += 1)
      await medium.store.objects.write({ operations: [{ type: 'create', object: widget(`w${index}`) }], writer: 'test' });
    return { medium, head };
  }

  test('hands each change to every subscriber once, in order, and keeps a bounded ring', async () => {
    const count = WATCH_RING_EVENTS_MAX + 200;
    const { medium, head } = await filled(count);
    const reader = createScopeReader({ objects: medium.store.objects, log: memoryLog() }, SCOPE, head);
    const seen: LogEntry[] = [];
    const done = new Promise<void>((resolve) => {
      reader.subscribe({
        deliver(entries) {
          seen.push(...entries);
          if (seen.length === count) resolve();
        },
        expire: () => undefined,
      });
    });
    reader.wake();
    reader.wake();
    await done;
    const versions = seen.map((entry) => entry.version);
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    expect(reader.since(reader.floor())).toHaveLength(WATCH_RING_EVENTS_MAX);
    expect(reader.since(head)[0]?.version).toBeGreaterThan(reader.floor());
    await medium.close();
  });

  test('says so when the log no longer holds what comes next', async () => {
    const { medium, head } = await filled(3);
    const objects = { ...medium.store.objects, changes: async () => ({ type: 'expired', oldest: '999' }) as const };
    const reader = createScopeReader({ objects, log: memoryLog() }, SCOPE, head);
    const expired = new Promise<string>((resolve) => reader.subscribe({ deliver: () => undefined, expire: resolve }));
    reader.wake();
    expect(await expired).toBe('999');
    await medium.close();
  });

  test('a failing medium is asked again at the next wake-up', async () => {
    const { medium, head } = await filled(1);
    let failures = 1;
    const objects = {
      ...medium.store.objects,
      changes: async (query: Parameters<typeof medium.store.objects.changes>[0]) => {
        if (failures > 0) throw new Error(`medium is away, ${failures--}`);
        return medium.store.objects.changes(query);
      },
    };
    const log = memoryLog();
    const reader = createScopeReader({ objects, log }, SCOPE, head);
    const delivered = new Promise<number>((resolve) =>
      reader.subscribe({ deliver: (entries) => resolve(entries.length), expire: () => undefined }),
    );
    reader.wake();
    await new Promise((resolve) => setImmediate(resolve));
    reader.wake();
    expect(await delivered).toBe(1);
    expect(log.entries).toHaveLength(1);
    await medium.close();
  });
});
