/** Named maxima of the scheduler. Times in milliseconds. */

/** A reservation that no report of the cluster has confirmed expires: the pods did not come, or the report did. */
export const RESERVATION_KEPT_MS = 60_000;
/** A report of capacity younger than this may not have seen the pods of a placement yet. */
export const REPORT_LAG_MS = 3_000;
/** Reservations kept per cluster; beyond, the oldest go. */
export const RESERVATIONS_PER_CLUSTER_MAX = 5_000;
/** Leaders of one follower that are looked at. */
export const LEADERS_MAX = 200;
/** A deletion waits this long for members that do not answer; then it ends without them, and they are cleared when they return. */
export const DEAD_MEMBER_WAIT_MS = 10_000;
/** So many clusters are named in an event; the rest is counted. */
export const CLUSTERS_NAMED_MAX = 8;
