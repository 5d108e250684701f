/**
 * The property test of docs/storage.md: random writers, lists in pages, readers that resume, and compaction, interleaved at random; the laws must
 * hold in each run. 1,000 runs; 10,000 in CI; LAMIRAL_INTERLEAVINGS and LAMIRAL_SEED choose others. Below: rules taken away, which the laws must notice.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMemory } from '../../shared/adapters/memory/open.ts';
import type { ChangesOutcome, Store } from '../../shared/ports/object-store.ts';
import { violations } from './laws.ts';
import { KEYS, type Program, play, tickingClock } from './play.ts';

const LOCAL_RUNS = 1_000;
const CI_RUNS = 10_000;
const RUNS = Number(process.env.LAMIRAL_INTERLEAVINGS ?? (process.env.CI ? CI_RUNS : LOCAL_RUNS));
const SEED = Number(process.env.LAMIRAL_SEED ?? 20_260_101);
const TIMEOUT_MS = 600_000;
/** Every list of more than two objects spans turns. */
const TURN_ROWS = 2;

const pause = fc.nat(4);
const programs: fc.Arbitrary<Program> = fc.record({
  writers: fc.array(
    fc.array(
      fc.record({
        type: fc.constantFrom('create', 'update', 'update', 'update', 'delete', 'get', 'pair'),
        key: fc.nat(KEYS - 1),
        pause: fc.nat(2),
      }),
      { minLength: 1, maxLength: 10 },
    ),
    { minLength: 1, maxLength: 4 },
  ),
  listers: fc.array(
    fc.array(fc.record({ scope: fc.nat(1), namespace: fc.boolean(), limit: fc.nat(2), back: fc.nat(2), pause }), {
      maxLength: 4,
    }),
    { minLength: 1, maxLength: 2 },
  ),
  readers: fc.array(
    fc.array(fc.record({ limit: fc.integer({ min: 1, max: 4 }), restart: fc.boolean(), pause }), { maxLength: 6 }),
    { minLength: 2, maxLength: 3 },
  ),
  compactor: fc.array(fc.record({ olderThanMs: fc.nat(30), pause: fc.nat(12) }), { maxLength: 2 }),
});

/** Plays one program against a store with a rule taken away, or none. */
async function findViolations(program: Program, mutate: (store: Store) => Store): Promise<string[]> {
  const { store, close } = openMemory({ clock: tickingClock(), turnRows: TURN_ROWS });
  try {
    return violations(await play(mutate(store), program));
  } finally {
    await close();
  }
}

test(`laws of the store hold in ${RUNS} interleavings`, { timeout: TIMEOUT_MS }, async () => {
  const holds = async (program: Program) => {
    const found = await findViolations(program, (store) => store);
    if (found.length > 0) throw new Error(found.join('\n'));
  };
  await fc.assert(fc.asyncProperty(programs, holds), { numRuns: RUNS, seed: SEED });
});

const objectsWith = (store: Store, changed: Partial<Store['objects']>): Store => ({
  ...store,
  objects: { ...store.objects, ...changed },
});
const step = (version: string, by: number) => String(Number(version) + by * 64);
const isUnder = (outcome: ChangesOutcome) => outcome.type === 'changes' && outcome.changes.length > 0;

/** Each takes one rule away. */
const MUTATIONS: Record<string, (store: Store) => Store> = {
  'later pages show the newest state, not the version of the chain': (store) =>
    objectsWith(store, {
      async list(query) {
        if (!query.from) return store.objects.list(query);
        const { current } = await store.lanes.head(query.scope);
        const outcome = await store.objects.list({ ...query, from: { ...query.from, resourceVersion: current } });
        return outcome.type === 'page' ? { ...outcome, resourceVersion: query.from.resourceVersion } : outcome;
      },
    }),
  'writes without compare-and-set': (store) =>
    objectsWith(store, {
      async write(batch) {
        const outcome = await store.objects.write(batch);
        const operation = batch.operations[0];
        if (outcome.type !== 'conflict' || !outcome.current || operation?.type !== 'update') return outcome;
        return store.objects.write({ ...batch, operations: [{ ...operation, expected: outcome.current.resourceVersion }] });
      },
    }),
  'a reader that resumes skips one': (store) =>
    objectsWith(store, {
      changes: (query) => store.objects.changes({ ...query, after: query.after === '64' ? '64' : step(query.after, 1) }),
    }),
  'a reader that resumes reads one again': (store) =>
    objectsWith(store, {
      async changes(query) {
        const again = await store.objects.changes({ ...query, after: step(query.after, -1) });
        return isUnder(again) ? again : store.objects.changes(query);
      },
    }),
  'compaction does not tell who fell behind': (store) =>
    objectsWith(store, {
      async changes(query) {
        const outcome = await store.objects.changes(query);
        return outcome.type === 'expired' ? store.objects.changes({ ...query, after: outcome.oldest }) : outcome;
      },
    }),
  'a list gives a version that is one too old': (store) =>
    objectsWith(store, {
      async list(query) {
        const outcome = await store.objects.list(query);
        if (outcome.type !== 'page' || query.from || outcome.items.length === 0) return outcome;
        return { ...outcome, resourceVersion: step(outcome.resourceVersion, -1) };
      },
    }),
  'reads may be stale': (store) => {
    const kept = new Map<string, Awaited<ReturnType<Store['objects']['get']>>>();
    return objectsWith(store, {
      async get(ref) {
        const key = `${ref.scope} ${ref.namespace}/${ref.name}`;
        if (!kept.has(key)) kept.set(key, await store.objects.get(ref));
        return kept.get(key);
      },
    });
  },
  'the feed loses the first entry of each read': (store) => ({
    ...store,
    feed: {
      async read(cursor, limit) {
        const { entries, cursor: next } = await store.feed.read(cursor, limit);
        return { entries: entries.length > 1 ? entries.slice(1) : entries, cursor: next };
      },
    },
  }),
};

describe('a rule taken away is noticed', () => {
  test.each(Object.entries(MUTATIONS))('%s', { timeout: TIMEOUT_MS }, async (_rule, mutate) => {
    let noticed: string[] = [];
    for (const program of fc.sample(programs, { numRuns: LOCAL_RUNS, seed: SEED })) {
      noticed = await findViolations(program, mutate);
      if (noticed.length > 0) break;
    }
    expect(noticed).not.toEqual([]);
  });
});
