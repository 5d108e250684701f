/** Plays a program of concurrent actors against a store and records what each of them saw. The same program gives the same interleaving. */

import type { ListOutcome, ListQuery, Store, WriteOperation } from '../../shared/ports/object-store.ts';
import type { Clock } from '../../shared/ports/system.ts';
import { NODES, newObject, PODS } from '../contract/objects.ts';
import { createHistory, type History } from './history.ts';

/** A key of the small world: 0..KEYS-1 in two namespaces and two scopes. Few keys, many meetings. */
export const KEYS = 6;

/** Turns of the event loop to wait before a step. */
type Paced = { pause: number };
export type WriterStep = Paced & { type: 'create' | 'update' | 'delete' | 'get' | 'pair'; key: number };
export type ListerStep = Paced & { scope: number; namespace: boolean; limit: number; back: number };
export type ReaderStep = Paced & { limit: number; restart: boolean };
export type CompactorStep = Paced & { olderThanMs: number };
export type Program = {
  writers: readonly (readonly WriterStep[])[];
  listers: readonly (readonly ListerStep[])[];
  readers: readonly (readonly ReaderStep[])[];
  compactor: readonly CompactorStep[];
};

const SCOPES = [PODS, NODES];
/** More than any run can need: a reader or a chain that does not end is a fault. */
const ROUNDS_MAX = 200;

/** Time that moves by a millisecond whenever somebody looks. */
export function tickingClock(): Clock {
  let now = 1_000_000;
  return {
    now: () => {
      now += 1;
      return now;
    },
    sleep: () => Promise.resolve(),
  };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

type Stage = ReturnType<typeof createHistory> & { store: Store };

/** Runs all actors at once, then lets readers and feed come to the end. */
export async function play(store: Store, program: Program): Promise<History> {
  const stage: Stage = { store, ...createHistory() };
  const feed = createFeedReader(stage);
  const readers = program.readers.map((_steps, i) => createReader(stage, SCOPES[i % SCOPES.length] ?? PODS));
  await Promise.all([
    ...program.writers.map((steps, i) => playWriter(stage, steps, i)),
    ...program.listers.map((steps) => playLister(stage, steps)),
    ...program.readers.map((steps, i) => playReader(steps, readers[i])),
    playCompactor(stage, program.compactor),
    feed.follow(program.writers.length),
  ]);
  for (const reader of readers) await reader.finish();
  await feed.finish();
  for (const scope of SCOPES) {
    const { current, oldest } = await store.lanes.head(scope);
    const outcome = await store.objects.list({ scope });
    stage.history.finals.push({ scope, current, oldest, items: outcome.type === 'page' ? outcome.items : [] });
  }
  return stage.history;
}

function refOf(key: number): { scope: string; namespace: string; name: string } {
  return { scope: SCOPES[key % 2] ?? PODS, namespace: key % 3 === 0 ? 'a' : 'b', name: `k${key}` };
}

/** Writes with the versions it has last seen, which others may have moved: so that some are refused. */
async function playWriter({ store, history, timed }: Stage, steps: readonly WriterStep[], writer: number): Promise<void> {
  const seen = new Map<number, string>();
  const operationOf = (type: 'create' | 'update' | 'delete', key: number, step: number): WriteOperation => {
    const object = newObject({ ...refOf(key), body: `"${writer}.${step}"`, labels: { step: String(step % 2) } });
    const expected = seen.get(key);
    return type === 'create' || expected === undefined ? { type: 'create', object } : { type, object, expected };
  };
  for (const [i, { type, key, pause }] of steps.entries()) {
    await turns(pause);
    if (type === 'get') {
      const ref = refOf(key);
      const { result: found, ...span } = await timed(() => store.objects.get(ref));
      history.gets.push({ ref, found, ...span });
      if (found) seen.set(key, found.resourceVersion);
      else seen.delete(key);
      continue;
    }
    const keys = type === 'pair' ? [key, (key + 1) % KEYS] : [key];
    const operations = keys.map((each) => operationOf(type === 'pair' ? 'update' : type, each, i));
    const { result: outcome, ...span } = await timed(() => store.objects.write({ operations, writer: `w${writer}` }));
    history.writes.push({ operations, outcome, ...span });
    for (const [at, each] of keys.entries()) {
      const version = outcome.type === 'committed' ? outcome.resourceVersions[at] : undefined;
      if (version !== undefined && operations[at]?.type !== 'delete') seen.set(each, version);
      else if (version !== undefined) seen.delete(each);
      else if (outcome.type === 'conflict' && outcome.index === at && outcome.current)
        seen.set(each, outcome.current.resourceVersion);
      else if (outcome.type === 'conflict' && outcome.index === at) seen.delete(each);
    }
  }
}

/** Lists in pages, with writes between them; sometimes at an older version that it has seen. */
async function playLister({ store, history, timed }: Stage, steps: readonly ListerStep[]): Promise<void> {
  const versions: { scope: string; version: string }[] = [];
  for (const step of steps) {
    await turns(step.pause);
    const scope = SCOPES[step.scope % 2] ?? PODS;
    const limit = step.limit === 0 ? undefined : step.limit;
    const namespace = step.namespace ? 'b' : undefined;
    const asked = step.back === 0 ? undefined : versions.filter((each) => each.scope === scope).at(-step.back)?.version;
    const query: ListQuery = { scope, ...(limit && { limit }), ...(namespace && { namespace }), ...(asked && { exact: asked }) };
    const outcomes: ListOutcome[] = [];
    const { result: first, ...span } = await timed(() => store.objects.list(query));
    outcomes.push(first);
    for (let page = first, i = 0; page.type === 'page' && page.next && i < ROUNDS_MAX; i += 1) {
      await turns(step.pause);
      page = await store.objects.list({ ...query, from: page.next });
      outcomes.push(page);
    }
    if (first.type === 'page') versions.push({ scope, version: first.resourceVersion });
    history.lists.push({ scope, namespace, limit, asked, outcomes, ...span });
  }
}

type Reader = { read(limit: number): Promise<boolean>; restart(): void; finish(): Promise<void> };

/** Follows the log of a scope from the beginning. Restarting goes back to where the last stretch began: a watch that was cut and resumed. */
function createReader({ store, history }: Stage, scope: string): Reader {
  let stretch = {
    scope,
    from: '64',
    to: '64',
    changes: [] as never[] | History['stretches'][number]['changes'],
    expired: undefined as string | undefined,
  };
  const close = (from: string, expired?: string) => {
    history.stretches.push({ ...stretch, expired });
    stretch = { scope, from, to: from, changes: [], expired: undefined };
  };
  const read = async (limit: number) => {
    const outcome = await store.objects.changes({ scope, after: stretch.to, limit });
    if (outcome.type === 'expired') {
      close(outcome.oldest, outcome.oldest);
      return true;
    }
    stretch.changes = [...stretch.changes, ...outcome.changes];
    const moved = outcome.position !== stretch.to;
    stretch.to = outcome.position;
    return moved;
  };
  return {
    read,
    restart: () => close(stretch.from),
    async finish() {
      for (let i = 0; i < ROUNDS_MAX && (await read(50)); i += 1);
      close(stretch.to);
    },
  };
}

async function playReader(steps: readonly ReaderStep[], reader: Reader | undefined): Promise<void> {
  for (const { pause, limit, restart } of steps) {
    await turns(pause);
    if (restart) reader?.restart();
    await reader?.read(limit);
  }
}

async function playCompactor({ store }: Stage, steps: readonly CompactorStep[]): Promise<void> {
  for (const { pause, olderThanMs } of steps) {
    await turns(pause);
    await store.lanes.compact(olderThanMs);
  }
}

/** Reads the feed of all scopes by its cursor. */
function createFeedReader({ store, history }: Stage): { follow(rounds: number): Promise<void>; finish(): Promise<void> } {
  let cursor = '';
  const read = async (limit: number) => {
    const next = await store.feed.read(cursor, limit);
    history.feed.push(...next.entries);
    cursor = next.cursor;
    return next.entries.length > 0;
  };
  return {
    async follow(rounds) {
      for (let i = 0; i < rounds; i += 1) {
        await turns(2);
        await read(3);
      }
    },
    async finish() {
      for (let i = 0; i < ROUNDS_MAX && (await read(7)); i += 1);
    },
  };
}
