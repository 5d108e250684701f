/** Named maxima of the member client. Times in milliseconds. */

/** Establishing a connection, TLS included. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** A whole call, the connection and the body included. */
export const CALL_TIMEOUT_MS = 10_000;
/** Lists of all nodes or pods of a big cluster may take longer, page by page. */
export const LIST_TIMEOUT_MS = 30_000;
/** Connections per member, one request each at a time. */
export const CONNECTIONS_MAX = 24;
/** An idle connection is kept this long. */
export const KEEP_ALIVE_MS = 60_000;
/** A body above this is refused: a member must not be able to fill our memory. */
export const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
/** One line of a watch. */
export const WATCH_LINE_CHARS_MAX = 16 * 1024 * 1024;
/** Objects of one list page. */
export const PAGE_OBJECTS = 500;
/** Pages of one list: above, the cluster is beyond what we design for. */
export const PAGES_MAX = 1_000;
/** How long a watch is asked to last, and how long it may be silent (kube-apiserver sends a bookmark about once a minute). */
export const WATCH_SECONDS = 290;
export const WATCH_SILENCE_MS = 150_000;
