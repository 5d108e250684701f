/** Named maxima of the clusters function. Times in milliseconds. */

/** How often and how patiently clusters are looked at. `dev` uses shorter times. */
export type ClusterTimes = {
  /** A changed observation is published when it has lasted this long: before a cluster counts as gone, and before it counts as back. */
  offlineAfterMs: number;
  onlineAfterMs: number;
  /** Free capacity is collected this often at most (and never more than a twentieth of the time is spent on it). */
  capacityEveryMs: number;
  /** The API list is read this often. */
  discoveryEveryMs: number;
  /** A cluster that cannot be joined for this long says so, and is tried less often. */
  joinTimeoutMs: number;
};

/** Times for production: damping as KubeAdmiral's defaults, 100 s for leaving, shorter for coming back. */
export const CLUSTER_TIMES: ClusterTimes = {
  offlineAfterMs: 40_000,
  onlineAfterMs: 10_000,
  capacityEveryMs: 30_000,
  discoveryEveryMs: 300_000,
  joinTimeoutMs: 600_000,
};

/** Times for one laptop. */
export const DEV_CLUSTER_TIMES: ClusterTimes = {
  offlineAfterMs: 5_000,
  onlineAfterMs: 0,
  capacityEveryMs: 10_000,
  discoveryEveryMs: 60_000,
  joinTimeoutMs: 600_000,
};

/** While nothing else changes, the time at which a cluster was last seen is stored this often. */
export const SEEN_EVERY_MS = 60_000;
/** After the join timeout: pause between attempts. */
export const LATE_JOIN_EVERY_MS = 60_000;
/** Deleting a cluster waits this long for a member that does not answer, and this long for one whose copies are still going. */
export const UNJOIN_DEADLINE_MS = 30_000;
export const CLEAR_DEADLINE_MS = 600_000;
/** Copies removed side by side from a cluster that leaves. */
export const REMOVALS_AT_ONCE = 16;
/** Share of the time that collecting capacity may take: one in so many. */
export const CAPACITY_SHARE = 20;
/** Parked records re-sent at once. */
export const PARKED_PER_ROUND = 500;
/** What is still parked is sent again this often while its cluster answers. */
export const UNPARK_EVERY_MS = 10_000;

/** Observations are gathered this long, so that a rollout's burst is one store write. */
export const OBSERVE_GATHER_MS = 25;
/** A copy that is still on its way (its controller has more to do) waits longer: what it says now is soon out of date. */
export const OBSERVE_MOVING_GATHER_MS = 600;
/** Pause after observations that the store did not take. */
export const STORE_AGAIN_MS = 1_000;
/** Observations of one store write. */
export const OBSERVATIONS_PER_WRITE = 200;
/** The fold into an object's status follows an observation within this time. */
export const STATUS_AFTER_OBSERVATION_MS = 60;
/** Pause before a watch that broke is opened again: first and longest. */
export const REWATCH_FIRST_MS = 250;
export const REWATCH_MAX_MS = 15_000;
