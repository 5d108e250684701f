/** What happened in one run, as its actors saw it. `start` and `end` are moments of one counter, so that "answered before asked" can be told. */
import type {
  Change,
  FeedEntry,
  ListOutcome,
  ObjectRef,
  StoredObject,
  WriteOperation,
  WriteOutcome,
} from '../../shared/ports/object-store.ts';

export type Span = { start: number; end: number };

export type WriteEvent = Span & { operations: readonly WriteOperation[]; outcome: WriteOutcome };
export type GetEvent = Span & { ref: ObjectRef; found: StoredObject | undefined };
/** One chain of pages. `asked`: the exact version wanted, if any. `start` and `end` are the first page's. */
export type ListEvent = Span & {
  scope: string;
  namespace: string | undefined;
  limit: number | undefined;
  asked: string | undefined;
  outcomes: readonly ListOutcome[];
};
/** A reader's unbroken stretch of the log, and how it ended. */
export type Stretch = { scope: string; from: string; to: string; changes: readonly Change[]; expired: string | undefined };
/** What the store answers when all is done. */
export type Final = { scope: string; current: string; oldest: string; items: readonly StoredObject[] };

export type History = {
  writes: WriteEvent[];
  gets: GetEvent[];
  lists: ListEvent[];
  stretches: Stretch[];
  feed: FeedEntry[];
  finals: Final[];
};

/** An empty history, and the counter that stamps it. */
export function createHistory(): { history: History; timed<T>(call: () => Promise<T>): Promise<{ result: T } & Span> } {
  let moment = 0;
  return {
    history: { writes: [], gets: [], lists: [], stretches: [], feed: [], finals: [] },
    async timed(call) {
      moment += 1;
      const start = moment;
      const result = await call();
      moment += 1;
      return { result, start, end: moment };
    },
  };
}
