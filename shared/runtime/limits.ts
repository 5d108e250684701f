/** Named maxima of the workers. Times in milliseconds. */

/** Messages of one receive (SQS's own maximum). */
export const RECEIVE_MESSAGES_MAX = 10;
/** One reconcile: longer than the slowest member call (10 s) and its re-read. */
export const RECONCILE_TIMEOUT_MS = 25_000;
/** A message in flight is invisible this long: twice what a reconcile may take, so that no second worker starts beside a live one. */
export const VISIBILITY_MS = 60_000;
/** A receive waits this long for a first message. */
export const RECEIVE_WAIT_MS = 20_000;
/** Reconciles in flight per function and process. */
export const CONCURRENCY_MAX = 32;
/** First and longest pause between attempts at the same work. */
export const BACKOFF_BASE_MS = 500;
export const BACKOFF_MAX_MS = 60_000;
/** A record waits at most this long for companions, so that the clusters of one object share a store write. */
export const RECORD_GATHER_MS = 10;
/** Records of one store write. */
export const RECORDS_PER_WRITE_MAX = 200;
/** Parsed objects kept per reader, keyed by resourceVersion; and characters of their bodies, for the objects of 500 clusters are large. */
export const PARSED_OBJECTS_MAX = 500;
export const PARSED_CHARACTERS_MAX = 16_000_000;
/** Messages of one send: the adapter splits by ten, this bounds the memory of a fan-out. */
export const SEND_MESSAGES_MAX = 500;
/** Rows of one list page. */
export const LIST_PAGE = 500;
/** Operations of one store write: a fold of all clusters' reports touches six objects, and is to be seen whole. DynamoDB takes 100 items in a transaction, an object is two or three. */
export const OPERATIONS_PER_WRITE_MAX = 8;
/** Acknowledgements wait this long for others: each costs a commit, and nobody waits for one but later work on the same key. */
export const ACKNOWLEDGE_GATHER_MS = 5;
/** Messages of one gathered acknowledgement. */
export const ACKNOWLEDGE_MAX = 64;
/** What was sent is remembered this long, well within the five minutes in which the queue itself drops a repeat. */
export const SENT_REMEMBERED_MS = 120_000;
/** Sent messages that are remembered. */
export const SENT_REMEMBERED_MAX = 10_000;
