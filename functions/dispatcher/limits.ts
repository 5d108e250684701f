/** Named maxima of the dispatcher. */

/** Rounds under way per cluster and process. */
export const ROUNDS_PER_CLUSTER = 16;
/** A round that takes longer than this is slow; a cluster whose rounds are gets so many at a time, and what finds no place comes back later. */
export const SLOW_ROUND_MS = 2_000;
export const ROUNDS_PER_SLOW_CLUSTER = 4;
/** What finds no place comes back after about this time. */
export const SLOW_AGAIN_MS = 2_000;
/** A round starts no further call after this time: one more call of 10 s then still ends before the deadline of the work, 25 s. */
export const ROUND_MS_MAX = 12_000;
/** Times that a record is merged with what others wrote meanwhile. */
export const RECORD_TRIES = 5;
/** How long the fold into the object's status waits for the member to report by itself, in milliseconds. */
export const STATUS_AFTER_DISPATCH_MS = 250;
/** A cluster that does not answer is looked at anew this often at most because of that. */
export const PROBE_ASKED_EVERY_MS = 2_000;
