/** Every maximum of the API server, in one place. Bytes, milliseconds and counts are named by their unit. */

/** Request bodies above this are refused before they are parsed (kube-apiserver has the same limit). */
export const BODY_BYTES_MAX = 3 * 1024 * 1024;
/** An object may not be stored above this (docs/storage.md). */
export const OBJECT_BYTES_MAX = 1.5 * 1024 * 1024;
/** Objects read from the store in one call. */
export const LIST_PAGE_MAX = 500;
/** How long the pages of one list show one state: as long as kube-apiserver keeps it, which compacts every five minutes. */
export const CONTINUE_AGE_MAX_MS = 5 * 60_000;
/** Lists of at least this many objects are written as bytes. */
export const LIST_BYTES_ITEMS_MIN = 20;
/** Longer lists go out in JSON, which the store keeps, to clients that prefer protobuf but take both: every object would have to be parsed. */
export const PROTOBUF_LIST_ITEMS_MAX = 500;
/** A watch that starts with the present state reads it in pages of this size. */
export const WATCH_INITIAL_PAGE = 250;

/** Reads and writes of one update or patch before the client is asked to try again (upstream: 5 retries). */
export const WRITE_ATTEMPTS_MAX = 6;
/** Quotas charged in one store write with the object that uses them (a write holds at most 4 objects). */
export const QUOTAS_PER_WRITE_MAX = 3;
/** Names tried for a generateName. */
export const GENERATE_NAME_TRIES = 8;
/** Characters kept of a generateName base; five more follow. */
export const GENERATE_NAME_BASE_MAX = 58;
export const FIELD_MANAGER_LENGTH_MAX = 128;

/** What a watch may lag behind: the ring of recent events of one scope, and the queue of one client. */
export const WATCH_RING_EVENTS_MAX = 1000;
export const WATCH_RING_BYTES_MAX = 8 * 1024 * 1024;
export const WATCH_QUEUE_BYTES_MAX = 1024 * 1024;
export const WATCHES_MAX = 5000;
export const WATCHES_PER_USER_MAX = 2000;
/** Without a hint of a commit the log is read again after this long. */
export const WATCH_POLL_MS = 1000;
/** Deadlines, keep-alives and bookmarks are looked at this often. */
export const WATCH_TICK_MS = 500;
export const WATCH_KEEP_ALIVE_MS = 20_000;
export const WATCH_BOOKMARK_MS = 60_000;
/** The last bookmark goes out this long before the end. */
export const WATCH_BOOKMARK_BEFORE_END_MS = 2000;
/** A watch without `timeoutSeconds` ends after this long; asked times are cut to the cap. */
export const WATCH_TIMEOUT_DEFAULT_MS = 30 * 60_000;
export const WATCH_TIMEOUT_MAX_MS = 60 * 60_000;

/** Bodies above this are compressed where the client allows (upstream's rule). Never watches. */
export const GZIP_BYTES_MIN = 128 * 1024;
/** Once all warnings of a response pass the first length, each is cut to the second and the rest are dropped. */
export const WARNINGS_LENGTH_MAX = 4096;
export const WARNING_LENGTH_CUT = 256;

/** How long a namespace that was seen alive is believed to be (docs/storage.md 7). */
export const NAMESPACE_CACHE_MS = 5000;
export const NAMESPACE_CACHE_ENTRIES_MAX = 10_000;
/** How long a conversion webhook may take (upstream: 30 s). */
export const CONVERSION_TIMEOUT_MS = 30_000;
/** Distinct Accept headers whose reading is kept. */
export const ACCEPT_CACHE_ENTRIES_MAX = 256;
