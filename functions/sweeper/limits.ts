/** Named maxima of the sweeper. Times in milliseconds. */

/** FederatedObjects looked at per pass; the next pass goes on from there. */
export const OBJECTS_PER_PASS = 500;
/** Parked records re-sent per cluster and pass. */
export const PARKED_PER_PASS = 500;
/** Expired events removed per pass. */
export const EVENTS_PER_PASS = 1_000;
/** Work that shows no progress for this long is sent again. */
export const STALE_WORK_MS = 60_000;
/** Controllers look at all that is theirs this often, beside what changes wake them for. */
export const RESYNC_MS = 3_600_000;
/** Pause after a write that met a change of somebody else's. */
export const WRITE_RETRY_MS = 100;
/** Pauses while something that is being deleted still has contents. */
export const WAIT_BASE_MS = 200;
export const WAIT_MAX_MS = 5_000;
