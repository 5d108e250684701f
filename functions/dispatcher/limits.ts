/** Named maxima of the dispatcher. */

/** Rounds under way per cluster and process. */
export const ROUNDS_PER_CLUSTER = 16;
/** Times that a record is merged with what others wrote meanwhile. */
export const RECORD_TRIES = 5;
/** How long the fold into the object's status waits for the member to report by itself, in milliseconds. */
export const STATUS_AFTER_DISPATCH_MS = 250;
