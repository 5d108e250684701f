/** Named maxima of the status function. Times in milliseconds. */

/** Writes of one object that may follow each other at once: placed, running, ready. */
export const WRITES_AT_ONCE = 3;
/** So many more where the object has come to rest: the last write of a rollout is the one that people wait for. */
export const SETTLED_WRITES_AHEAD = 3;
/** Beyond, one write per this time, while reports keep coming. */
export const WRITE_EVERY_MS = 1_000;
/** An object that is still on its way is folded so much later, and with it what the other clusters say meanwhile: most reports of a rollout are soon out of date. */
export const MOVING_HOLD_MS = 400;
/** Grid of throttled folds: messages of one square are one. */
export const THROTTLE_GRID_MS = 250;
/** Objects whose last writes are remembered. */
export const OBJECTS_REMEMBERED = 20_000;
