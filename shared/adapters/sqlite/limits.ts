/** Named maxima of the SQLite adapter. Times in milliseconds, sizes in bytes. */

/** Rows that one call reads before it lets the event loop turn. */
export const TURN_ROWS = 500;
/** Keys that one turn counts for every row it may read: an index scan without bodies, about a millisecond for 10,000. */
export const COUNTED_PER_ROW = 20;
/** Objects in one write. */
export const OPERATIONS_MAX = 8;
/** One body, and one object's managedFields. */
export const BODY_BYTES_MAX = 1.5 * 1024 * 1024;
/** Writes that share one SQL transaction: bounds how long a turn can take. */
export const GROUP_JOBS_MAX = 128;
/** Numbers reserved at once; what a stopped process did not use is skipped. */
export const POSITION_BLOCK = 10_000;
/** WAL pages between checkpoints: rare enough to stay out of the 99th percentile, 16 MB on disk. */
export const CHECKPOINT_PAGES = 4_000;
/** Page cache, in KiB. */
export const CACHE_KIB = 16_384;
/** How long opening waits for a process that is just ending. */
export const BUSY_TIMEOUT_MS = 250;
/** Remembered tails of paged lists (how many items followed a page). */
export const TAILS_MAX = 256;

/** Limits of SQS, which the queue in the file refuses as well. */
export const MESSAGE_BYTES_MAX = 256 * 1024;
export const MESSAGE_ID_CHARACTERS_MAX = 128;
export const RECEIVE_MAX = 10;
export const WAIT_MS_MAX = 20_000;
export const VISIBILITY_MS_MAX = 12 * 60 * 60 * 1000;
export const DEDUPE_WINDOW_MS = 5 * 60 * 1000;
/** Deliveries before a message goes to the dead letters. */
export const RECEIVES_MAX = 5;
/** Dead letters kept per queue; the oldest go first. */
export const DEAD_LETTERS_MAX = 10_000;
/** Due timers that one receive turns into messages. */
export const TIMERS_PER_TURN = 100;
