/** Named maxima of the relay. */

/** Log entries of one read. */
export const ENTRIES_PER_READ = 200;
/** Clusters that change together and whose records are looked up object by object; beyond, every object is taken to have a copy in one of them. */
export const CLUSTERS_LOOKED_UP_MAX = 8;
/** The log is read at least this often, even when nobody says that it grew. */
export const READ_AT_LEAST_EVERY_MS = 5_000;
/** Pause after a failed round. */
export const FAILED_ROUND_PAUSE_MS = 1_000;
/** A long-lived relay stores its cursor this often: a commit per second instead of one per change. */
export const STORE_CURSOR_EVERY_MS = 1_000;
