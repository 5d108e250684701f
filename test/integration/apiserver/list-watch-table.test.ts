/** What resourceVersion, resourceVersionMatch, limit, continue and sendInitialEvents mean together: Kubernetes' table, a row for each cell. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configMap, startTestServer, type TestServer, type WatchReading } from './server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const FUTURE = '900000000';
const NOT_OLDER = 'resourceVersionMatch=NotOlderThan';
const INITIAL = `sendInitialEvents=true&${NOT_OLDER}`;
const BOOKMARKS = 'allowWatchBookmarks=true';

let api: TestServer;
/** Versions: `old` with a and b; `now` with b and c. `token` goes on after a list of one at `now`. */
let old = '';
let now = '';
let token = '';

beforeAll(async () => {
  api = await startTestServer();
  for (const name of ['a', 'b']) await api.send('POST', MAPS, { body: configMap(name, {}, { labels: { all: 'yes' } }) });
  old = await head();
  await api.send('POST', MAPS, { body: configMap('c', {}, { labels: { all: 'yes' } }) });
  await api.send('DELETE', `${MAPS}/a`);
  now = await head();
  token = (await api.send('GET', `${MAPS}?limit=1`)).json().metadata.continue;
});
afterAll(() => api.close());

const head = async () => (await api.send('GET', MAPS)).json().metadata.resourceVersion as string;
/** Queries are written with words for the versions, which are known later. */
const filled = (query: string) => query.replace('OLD', old).replace('NOW', now).replace('TOKEN', token).replace('FUTURE', FUTURE);

type ListRow = readonly [sentence: string, query: string, names: string, version: 'old' | 'now'];

describe('a list', () => {
  const ROWS: readonly ListRow[] = [
    ['no version: the most recent state', '', 'b c', 'now'],
    ['"0": any state', 'resourceVersion=0', 'b c', 'now'],
    ['a version: not older', 'resourceVersion=OLD', 'b c', 'now'],
    ['a limit and no version', 'limit=5', 'b c', 'now'],
    ['a limit and "0"', 'limit=5&resourceVersion=0', 'b c', 'now'],
    ['a limit and a version: exactly that one', 'limit=5&resourceVersion=OLD', 'a b', 'old'],
    ['a limit and NotOlderThan', `limit=5&resourceVersion=OLD&${NOT_OLDER}`, 'b c', 'now'],
    ['Exact', 'resourceVersion=OLD&resourceVersionMatch=Exact', 'a b', 'old'],
    ['Exact with a limit', 'resourceVersion=OLD&resourceVersionMatch=Exact&limit=1', 'a', 'old'],
    ['NotOlderThan "0"', `resourceVersion=0&${NOT_OLDER}`, 'b c', 'now'],
    ['NotOlderThan a version', `resourceVersion=OLD&${NOT_OLDER}`, 'b c', 'now'],
    ['a continuation', 'limit=1&continue=TOKEN', 'c', 'now'],
    ['a continuation without a limit', 'continue=TOKEN', 'c', 'now'],
    ['a continuation and "0"', 'limit=1&continue=TOKEN&resourceVersion=0', 'c', 'now'],
    ['the first of a parameter that comes twice counts', 'limit=1&limit=5', 'b', 'now'],
    ['watch=False is a list, as Python asks', 'watch=False', 'b c', 'now'],
    ['a negative limit is none', 'limit=-3', 'b c', 'now'],
  ];
  test.each(ROWS)('%s (%s)', async (_sentence, query, names, version) => {
    const answer = await api.send('GET', `${MAPS}?${filled(query)}`);
    const { items, metadata } = answer.json();
    const shown = (items as { metadata: { name: string } }[]).map((item) => item.metadata.name).join(' ');
    expect([answer.code, shown, metadata.resourceVersion]).toEqual([200, names, version === 'old' ? old : now]);
  });

  const forbidden = (field: string, why: string) => `${field}: Forbidden: ${why}`;
  const unlessVersion = forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  const withContinue = forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided');
  const REFUSED: readonly [query: string, code: number, message: string][] = [
    ['resourceVersionMatch=Exact', 422, unlessVersion],
    [NOT_OLDER, 422, unlessVersion],
    [
      'resourceVersionMatch=Exact&resourceVersion=0',
      422,
      forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
    ],
    ['resourceVersionMatch=Exact&continue=TOKEN', 422, `[${unlessVersion}, ${withContinue}]`],
    [`${NOT_OLDER}&resourceVersion=0&continue=TOKEN`, 422, withContinue],
    [`${NOT_OLDER}&resourceVersion=OLD&continue=TOKEN`, 422, withContinue],
    [
      'resourceVersionMatch=Newest&resourceVersion=OLD',
      422,
      'resourceVersionMatch: Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
    ],
    ['sendInitialEvents=true', 422, forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')],
    ['continue=TOKEN&resourceVersion=OLD', 400, 'specifying resource version is not allowed when using continue'],
    ['resourceVersion=x', 400, 'invalid resource version: '],
    ['limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['continue=x', 400, 'continue key is not valid'],
    ['resourceVersion=FUTURE', 504, `Timeout: Too large resource version: ${FUTURE}, current: `],
    [`resourceVersion=FUTURE&${NOT_OLDER}`, 504, `Timeout: Too large resource version: ${FUTURE}, current: `],
  ];
  test.each(REFUSED)('%s is refused with %i', async (query, code, message) => {
    const status = (await api.send('GET', `${MAPS}?${filled(query)}`)).json();
    expect([status.kind, status.code, status.message]).toEqual(['Status', code, expect.stringContaining(message)]);
  });

  test.each([
    ['no selector: what is left is counted', 'limit=1', 1],
    ['a label selector: it is not', 'limit=1&labelSelector=all%3Dyes', undefined],
    ['a field selector: it is not', 'limit=1&fieldSelector=metadata.name!%3Dx', undefined],
    ['nothing is left', 'limit=2', undefined],
  ])('%s', async (_sentence, query, count) => {
    expect((await api.send('GET', `${MAPS}?${query}`)).json().metadata.remainingItemCount).toBe(count);
  });
});

describe('one object', () => {
  test.each([
    ['no version', '', 200],
    ['"0"', 'resourceVersion=0', 200],
    ['a version that was', 'resourceVersion=OLD', 200],
    ['one that will be', 'resourceVersion=FUTURE', 504],
    ['none', 'resourceVersion=x', 400],
  ])('%s', async (_sentence, query, code) => {
    expect((await api.send('GET', `${MAPS}/b?${filled(query)}`)).code).toBe(code);
  });
});

describe('a watch', () => {
  const ROWS: readonly [sentence: string, query: string, events: string][] = [
    ['no version: the present, then changes', '', 'ADDED b, ADDED c'],
    ['"0": the same', 'resourceVersion=0', 'ADDED b, ADDED c'],
    ['a version: changes after it', 'resourceVersion=OLD', 'ADDED c, DELETED a'],
    ['the newest version: what comes', 'resourceVersion=NOW', ''],
    ['initial events', `${INITIAL}&${BOOKMARKS}`, 'ADDED b, ADDED c, BOOKMARK end'],
    ['initial events of any state', `${INITIAL}&${BOOKMARKS}&resourceVersion=0`, 'ADDED b, ADDED c, BOOKMARK end'],
    ['initial events not older than a version', `${INITIAL}&${BOOKMARKS}&resourceVersion=OLD`, 'ADDED b, ADDED c, BOOKMARK end'],
    ['initial events without bookmarks: nobody says where they end', INITIAL, 'ADDED b, ADDED c'],
    ['no initial events', `sendInitialEvents=false&${NOT_OLDER}`, ''],
    ['no initial events, "0"', `sendInitialEvents=false&${NOT_OLDER}&resourceVersion=0`, ''],
    ['no initial events, a version', `sendInitialEvents=false&${NOT_OLDER}&resourceVersion=OLD`, 'ADDED c, DELETED a'],
  ];
  test.each(ROWS)('%s (%s)', async (sentence, query, events) => {
    const watch = await api.watch(`${MAPS}?watch=true&labelSelector=all%3Dyes&${filled(query)}`);
    expect(watch.code).toBe(200);
    const last = `last-${ROWS.findIndex(([each]) => each === sentence)}`;
    await api.send('POST', MAPS, { body: configMap(last, {}, { labels: { all: 'yes' } }) });
    const seen = await eventsUntil(watch, `ADDED ${last}`);
    await api.send('DELETE', `${MAPS}/${last}`);
    // Rows before this one have come and gone.
    expect(seen.filter((event) => !event.includes('last-')).join(', ')).toBe(events);
    await watch.cancel();
  });

  const requires = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  const unless = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
  const REFUSED: readonly [query: string, code: number, message: string][] = [
    ['sendInitialEvents=true', 422, requires],
    ['sendInitialEvents=true&resourceVersionMatch=Exact', 422, requires],
    [`${NOT_OLDER}&resourceVersion=OLD`, 422, unless],
    ['resourceVersionMatch=Exact&resourceVersion=OLD', 422, unless],
    [`${INITIAL}&continue=TOKEN`, 422, 'resourceVersionMatch is forbidden when continue is provided'],
    ['resourceVersion=x', 400, 'invalid resource version: '],
    ['timeoutSeconds=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['resourceVersion=FUTURE', 504, 'Too large resource version'],
  ];
  test.each(REFUSED)('%s is refused with %i', async (query, code, message) => {
    const status = (await api.send('GET', `${MAPS}?watch=true&${filled(query)}`)).json();
    expect([status.code, status.message]).toEqual([code, expect.stringContaining(message)]);
  });

  test('of one name in the URL, with another in the selector', async () => {
    const answer = await api.send('GET', '/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=metadata.name%3Dc');
    expect([answer.code, answer.json().message]).toEqual([400, "fieldSelector metadata.name doesn't match requested name"]);
  });
});

async function eventsUntil(watch: WatchReading, last: string): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const event = await watch.next();
    if (event === undefined) throw new Error(`the watch ended before ${last}: ${seen.join(', ')}`);
    const ends = event.object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
    const text = `${event.type} ${event.type === 'BOOKMARK' ? (ends ? 'end' : '') : event.object.metadata.name}`;
    if (text === last) return seen;
    seen.push(text);
  }
}

describe('after compaction', () => {
  test('the past is gone for Exact, for a limit with a version, for a token and for a watch', async () => {
    await api.clock.advance(60_000);
    await api.medium.store.lanes.compact(1000);
    const codes: number[] = [];
    for (const query of [
      'resourceVersion=OLD&resourceVersionMatch=Exact',
      'resourceVersion=OLD&limit=5',
      'continue=TOKEN',
      'watch=true&resourceVersion=OLD',
    ])
      codes.push((await api.send('GET', `${MAPS}?${filled(query)}`)).code);
    expect(codes).toEqual([410, 410, 410, 410]);
    expect((await api.send('GET', `${MAPS}?${filled(`resourceVersion=OLD&${NOT_OLDER}`)}`)).code).toBe(200);
  });

  test('a token that is too old comes with one that goes on, though no longer consistently', async () => {
    const status = (await api.send('GET', `${MAPS}?${filled('limit=1&continue=TOKEN')}`)).json();
    expect([status.reason, status.message]).toEqual([
      'Expired',
      expect.stringContaining('The provided continue parameter is too old'),
    ]);
    const rest = (await api.send('GET', `${MAPS}?continue=${status.metadata.continue}`)).json();
    expect(rest.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['c']);
  });
});
