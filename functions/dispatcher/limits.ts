/** Named maxima of the dispatcher. */

/** Rounds under way per cluster and process. */
export const ROUNDS_PER_CLUSTER = 16;
/** A round starts no further call after this time: one more call of 10 s then still ends before the deadline of the work, 25 s. */
export const ROUND_MS_MAX = 12_000;
/** Times that a record is merged with what others wrote meanwhile. */
export const RECORD_TRIES = 5;
/** How long the fold into the object's status waits for the member to report by itself, in milliseconds. */
export const STATUS_AFTER_DISPATCH_MS = 250;
