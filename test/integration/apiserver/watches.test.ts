import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configMap, startTestServer, type TestServer, type WatchReading } from './server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = 'application/merge-patch+json';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer();
});
afterEach(() => api.close());

const create = (name: string, labels: Record<string, string> = {}) =>
  api.send('POST', MAPS, { body: configMap(name, { n: name }, { labels }) });
const head = async () => (await api.send('GET', MAPS)).json().metadata.resourceVersion as string;
const brief = async (watch: WatchReading, count: number) => {
  const seen: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const event = await watch.next();
    seen.push(event ? `${event.type} ${event.object.metadata?.name ?? event.object.rows?.[0]?.cells[0] ?? ''}`.trim() : 'end');
  }
  return seen;
};

describe('a watch', () => {
  test('from a version shows every later change once, in order', async () => {
    await create('before');
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${await head()}`);
    expect([watch.code, watch.headers.get('content-type')]).toEqual([200, 'application/json']);
    await create('a');
    await api.send('PATCH', `${MAPS}/a`, { body: { data: { n: '2' } }, type: MERGE });
    await api.send('DELETE', `${MAPS}/a`);
    expect(await brief(watch, 3)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    await watch.cancel();
  });

  test('from a version long ago reads the log until it meets the others', async () => {
    const start = await head();
    for (let index = 0; index < 20; index += 1) await create(`m${index}`);
    const late = await api.watch(`${MAPS}?watch=1&resourceVersion=${await head()}`);
    const early = await api.watch(`${MAPS}?watch=1&resourceVersion=${start}`);
    await create('last');
    expect((await brief(early, 21)).at(-1)).toBe('ADDED last');
    expect(await brief(late, 1)).toEqual(['ADDED last']);
  });

  test('without a version begins with what is there', async () => {
    await create('a');
    await create('b');
    const watch = await api.watch(`${MAPS}?watch=true`);
    expect(await brief(watch, 2)).toEqual(['ADDED a', 'ADDED b']);
    await api.send('DELETE', `${MAPS}/b`);
    const event = await watch.next();
    expect([event?.type, event?.object.data]).toEqual(['DELETED', { n: 'b' }]);
  });

  test('with sendInitialEvents says where the present ends', async () => {
    await create('a');
    const watch = await api.watch(
      `${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    expect(await brief(watch, 1)).toEqual(['ADDED a']);
    const bookmark = await watch.next();
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          resourceVersion: await head(),
          creationTimestamp: null,
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
      },
    });
    await create('b');
    expect(await brief(watch, 1)).toEqual(['ADDED b']);
  });

  test('of one name, as kubectl wait asks', async () => {
    await create('a');
    await create('b');
    const watch = await api.watch(
      `${MAPS}?watch=true&fieldSelector=metadata.name%3Da&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    expect(await brief(watch, 2)).toEqual(['ADDED a', 'BOOKMARK']);
    await api.send('DELETE', `${MAPS}/b`);
    await api.send('DELETE', `${MAPS}/a`);
    expect(await brief(watch, 1)).toEqual(['DELETED a']);
  });

  test('with sendInitialEvents=false begins now', async () => {
    await create('a');
    const version = await head();
    const watch = await api.watch(
      `${MAPS}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${version}`,
    );
    await create('b');
    expect(await brief(watch, 1)).toEqual(['ADDED b']);
  });

  test('shows how objects come into a selection and leave it', async () => {
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${await head()}&labelSelector=color%3Dred`);
    await create('a', { color: 'blue' });
    const paint = (color: string, n: string) =>
      api.send('PATCH', `${MAPS}/a`, { body: { metadata: { labels: { color } }, data: { n } }, type: MERGE });
    await paint('red', '1');
    await paint('red', '2');
    await paint('blue', '3');
    await create('b', { color: 'red' });
    const events = [await watch.next(), await watch.next(), await watch.next(), await watch.next()];
    expect(events.map((event) => `${event?.type} ${event?.object.metadata.name} ${event?.object.data.n}`)).toEqual([
      'ADDED a 1',
      'MODIFIED a 2',
      'DELETED a 2',
      'ADDED b b',
    ]);
    const versions = events.map((event) => Number(event?.object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((one, other) => one - other));
    expect(new Set(versions).size).toBe(4);
  });

  test('as a Table names its columns once', async () => {
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${await head()}`, { accept: TABLE });
    await create('a');
    await create('b');
    const first = await watch.next();
    const second = await watch.next();
    expect([first?.object.kind, first?.object.columnDefinitions.length, first?.object.rows[0].cells[0]]).toEqual([
      'Table',
      3,
      'a',
    ]);
    expect([second?.object.columnDefinitions, second?.object.rows[0].cells[0]]).toEqual([null, 'b']);
  });

  test('as metadata alone', async () => {
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${await head()}`, { accept: METADATA });
    await create('a');
    const event = await watch.next();
    expect([event?.object.kind, event?.object.metadata.name, event?.object.data]).toEqual([
      'PartialObjectMetadata',
      'a',
      undefined,
    ]);
  });

  test('is never YAML', async () => {
    expect((await api.send('GET', `${MAPS}?watch=true`, { accept: 'application/yaml' })).code).toBe(406);
  });

  test('by the old path', async () => {
    const watch = await api.watch('/api/v1/watch/namespaces/default/configmaps/a');
    await create('b');
    await create('a');
    expect(await brief(watch, 1)).toEqual(['ADDED a']);
  });
});

describe('a watch over time', () => {
  test('sends an empty line every 20 s while nothing happens', async () => {
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${await head()}`);
    await api.clock.advance(20_500);
    expect(await watch.nextLine()).toBe('');
    await create('a');
    expect(await brief(watch, 1)).toEqual(['ADDED a']);
  });

  test('sends a bookmark every minute to who wants them', async () => {
    const watch = await api.watch(`${MAPS}?watch=true&allowWatchBookmarks=true&resourceVersion=${await head()}`);
    await create('a');
    expect(await brief(watch, 1)).toEqual(['ADDED a']);
    await api.clock.advance(61_000);
    const bookmark = await watch.next();
    expect([bookmark?.type, bookmark?.object.metadata.resourceVersion]).toEqual(['BOOKMARK', await head()]);
  });

  test('ends cleanly at its time, after a bookmark', async () => {
    const watch = await api.watch(
      `${MAPS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=30&resourceVersion=${await head()}`,
    );
    await api.clock.advance(31_000);
    expect(await brief(watch, 3)).toEqual(['BOOKMARK', 'BOOKMARK', 'end']);
  });

  test('ends cleanly when the server does', async () => {
    const watch = await api.watch(`${MAPS}?watch=true&allowWatchBookmarks=true&resourceVersion=${await head()}`);
    await create('a');
    expect(await brief(watch, 1)).toEqual(['ADDED a']);
    await api.server.close();
    expect(await brief(watch, 2)).toEqual(['BOOKMARK', 'end']);
    expect((await api.watch(`${MAPS}?watch=true&resourceVersion=${await head()}`)).code).toBe(429);
  });

  test('does not need a hint of a commit', async () => {
    const { store } = api.medium;
    const deaf = await startTestServer({
      store: { objects: store.objects, lanes: { ...store.lanes, onCommit: () => () => undefined } },
    });
    const watch = await deaf.watch(`${MAPS}?watch=true&resourceVersion=${await head()}`);
    await api.send('POST', MAPS, { body: configMap('a') });
    await deaf.clock.advance(1500);
    expect(await brief(watch, 1)).toEqual(['ADDED a']);
    await watch.cancel();
    await deaf.close();
  });

  test('a version that the log has dropped is a 410', async () => {
    const start = await head();
    await create('a');
    await api.clock.advance(60_000);
    await api.medium.store.lanes.compact(1000);
    const watch = await api.watch(`${MAPS}?watch=true&resourceVersion=${start}`);
    expect(watch.code).toBe(410);
    const status = JSON.parse((await watch.nextLine()) ?? (await restOf(`${MAPS}?watch=true&resourceVersion=${start}`)));
    expect([status.reason, status.message]).toEqual(['Expired', expect.stringContaining('too old resource version')]);
  });

  const restOf = async (path: string) => (await api.send('GET', path)).text;

  test('a version that was never given out is a 504', async () => {
    expect((await api.watch(`${MAPS}?watch=true&resourceVersion=9000000`)).code).toBe(504);
  });

  const REFUSED: readonly [string, number][] = [
    ['watch=true&sendInitialEvents=true', 422],
    ['watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=64', 422],
    ['watch=true&resourceVersion=x', 400],
    ['watch=true&fieldSelector=spec.x%3D1', 400],
    ['watch=true&labelSelector=a+b', 400],
  ];
  test.each(REFUSED)('%s is refused with %i', async (query, code) => {
    expect((await api.send('GET', `${MAPS}?${query}`)).code).toBe(code);
  });

  test('a client that reads nothing is let go, others lose nothing', async () => {
    const start = await head();
    const slow = await api.watch(`${MAPS}?watch=true&resourceVersion=${start}`);
    const quick = await api.watch(`${MAPS}?watch=true&resourceVersion=${start}`);
    const seen = brief(quick, 30);
    for (let index = 0; index < 30; index += 1)
      await api.send('POST', MAPS, { body: configMap(`m${index}`, { k: 'x'.repeat(100_000) }) });
    expect(await seen).toHaveLength(30);
    let events = 0;
    while (await slow.next()) events += 1;
    expect(events).toBeGreaterThan(0);
    expect(events).toBeLessThan(30);
  });

  test('many watches and many writers: each watch sees each change once, in order', async () => {
    const start = await head();
    const watches = await Promise.all(Array.from({ length: 10 }, () => api.watch(`${MAPS}?watch=true&resourceVersion=${start}`)));
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; index < 10; index += 1) await create(`w${writer}-${index}`);
    });
    await Promise.all(writers);
    const read = async (watch: WatchReading) => {
      const versions: number[] = [];
      while (versions.length < 80) versions.push(Number((await watch.next())?.object.metadata.resourceVersion));
      return versions;
    };
    for (const versions of await Promise.all(watches.map(read))) {
      expect(new Set(versions).size).toBe(80);
      expect(versions).toEqual([...versions].sort((one, other) => one - other));
    }
  });
});
