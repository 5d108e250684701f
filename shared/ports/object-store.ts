/**
 * ObjectStore: compare-and-set per object, one total order of changes per resource, exact snapshots for LIST, and a log that a
 * WATCH reads without loss, repetition or reordering. docs/storage.md is the specification; test/contract/object-store.ts is the law.
 * The store does not look into bodies. resourceVersions are plain decimal strings, comparable within one scope.
 */
import type { NewObject, ObjectRef, StoredObject } from '../apis/stored.ts';

export type { NewObject, ObjectRef, StoredObject };

/** One object of a write. `expected` is the resourceVersion that was read; a `create` expects absence. */
export type WriteOperation =
  | { type: 'create'; object: NewObject }
  | { type: 'update'; object: NewObject; expected: string }
  /** `object` is the last state, which the DELETED event carries. */
  | { type: 'delete'; object: NewObject; expected: string };

/** Up to 4 objects, each named once, and any records, in one atomic step with their log slots. A larger or an empty batch rejects with a RangeError. */
export type WriteBatch = {
  operations: readonly WriteOperation[];
  records?: readonly RecordWrite[];
  /** Who writes (`api`, `scheduler`, `status` ...): lets the relay pass over the echo of a worker's own writes. */
  writer: string;
};

export type WriteOutcome =
  /** One resourceVersion per operation, in their order. */
  | { type: 'committed'; resourceVersions: readonly string[] }
  /** Nothing was written. `current` is what stands there now (absent: nothing does). `index` -1: a record's version was stale. */
  | { type: 'conflict'; index: number; current?: StoredObject }
  /** Nothing was written; the same call may succeed later. */
  | { type: 'busy'; retryAfterSeconds: number };

/** A read of many objects: ordered by namespace, then name (bytewise). */
export type ListQuery = {
  scope: string;
  /** Absent: all namespaces. */
  namespace?: string;
  /** At most this many items; absent: all. */
  limit?: number;
  /** Go on after this key, at exactly this version (from an earlier page's `next`). */
  from?: { resourceVersion: string; namespace: string; name: string };
  /** Exactly this version, from the start. */
  exact?: string;
};

export type ListOutcome =
  | {
      type: 'page';
      items: readonly StoredObject[];
      /** The version whose state this is; the same for all pages of a chain. */
      resourceVersion: string;
      /** Present when more items follow. */
      next?: { resourceVersion: string; namespace: string; name: string };
      /** How many items follow; known on pages that end early, and only then. */
      remaining?: number;
    }
  /** The asked version is older than what the log can replay. */
  | { type: 'expired'; oldest: string }
  /** The asked version has not been reached. */
  | { type: 'future'; current: string };

/** One entry of a scope's log. */
export type Change = {
  type: 'added' | 'modified' | 'deleted';
  /** For `deleted`: the last state under the delete's own version. */
  object: StoredObject;
  /** State before: labels and fields always (when there was one), for selector transitions. */
  before?: { labels: Record<string, string>; fields: Record<string, string>; body: string; managedFields: string };
};

export type ChangesOutcome =
  /** `position` is how far was read: read on from there, even when `changes` is empty. */
  { type: 'changes'; changes: readonly Change[]; position: string } | { type: 'expired'; oldest: string };

/** The store proper. Every promise rejects only when the medium fails (the caller answers 503). */
export type ObjectStore = {
  get(ref: ObjectRef): Promise<StoredObject | undefined>;
  write(batch: WriteBatch): Promise<WriteOutcome>;
  list(query: ListQuery): Promise<ListOutcome>;
  /** Changes of a scope after a version, at most `limit` (and 500). `before` is there whenever something stood under the key. */
  changes(query: { scope: string; after: string; limit: number }): Promise<ChangesOutcome>;
};

/** The state of a scope's log. */
export type Lanes = {
  /** Newest version of the scope that is surely readable, and the oldest that `changes` can start after. */
  head(scope: string): Promise<{ current: string; oldest: string }>;
  /** Makes log entries older than `olderThanMs` impossible to replay (objects stay). Returns how many. */
  compact(olderThanMs: number): Promise<number>;
  /** Calls back after commits that this process knows of: a hint to read at once, never needed for correctness. */
  onCommit(listener: (scopes: readonly string[]) => void): () => void;
};

/**
 * The log of all scopes as one feed, at least once, in commit order per object: what the relay reads. What compaction drops before it was read is
 * not delivered: read to the end first.
 */
export type FeedEntry = ObjectRef & {
  type: 'added' | 'modified' | 'deleted';
  uid: string;
  resourceVersion: string;
  writer: string;
  ownerUids: readonly string[];
};
export type ChangeFeed = {
  /** Entries after `cursor` ('' = from the oldest retained), and the cursor to go on from. */
  read(cursor: string, limit: number): Promise<{ entries: readonly FeedEntry[]; cursor: string }>;
};

/** A small versioned item beside the log, never served to a client: per (owner, cluster) dispatch state. */
export type StoreRecord = {
  owner: string;
  cluster: string;
  /** Never the same twice for one owner and cluster, even after the record was removed and made again. */
  version: number;
  body: string;
  /** Sparse index: the cluster whose return it waits for. */
  parkedFor?: string;
};
/** `expected` 0: must not exist yet; undefined: whatever is there. `body` null deletes it. */
export type RecordWrite = { owner: string; cluster: string; body: string | null; expected?: number; parkedFor?: string };
export type Records = {
  ofOwner(owner: string): Promise<readonly StoreRecord[]>;
  get(owner: string, cluster: string): Promise<StoreRecord | undefined>;
  parkedFor(cluster: string, limit: number): Promise<readonly StoreRecord[]>;
  /** Writes independent records, each by itself (no log slot); returns those that were stale. One transaction where the medium allows. */
  write(records: readonly RecordWrite[]): Promise<{ stale: readonly RecordWrite[] }>;
};

/** Secondary indexes. */
export type Index = {
  /** Refs of objects that name this uid among their owners. */
  dependents(ownerUid: string): Promise<readonly ObjectRef[]>;
};

/** Named positions and leases: compare-and-set items. */
export type Cursors = {
  load(name: string): Promise<string>;
  /** False when another moved it meanwhile. */
  store(name: string, value: string, expected: string): Promise<boolean>;
};

/** All of the above over one medium. */
export type Store = {
  objects: ObjectStore;
  lanes: Lanes;
  feed: ChangeFeed;
  records: Records;
  index: Index;
  cursors: Cursors;
  close(): Promise<void>;
};
