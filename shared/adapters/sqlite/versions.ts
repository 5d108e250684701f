/** Positions of a scope's log and the resourceVersions that clients see: `position * 64 + lane`; this store is always lane 0. */

const LANES = 64;
const DECIMAL = /^\d{1,16}$/;

/** Where an empty scope stands: no resourceVersion below 64 exists, because "0" means "any" to clients. */
export const FIRST_N = 1;

/** The resourceVersion of position `n`. */
export function formatVersion(n: number): string {
  return String(n * LANES);
}

/** The last position at or below a resourceVersion (of any lane). Throws RangeError for text that is none. */
export function positionAt(resourceVersion: string): number {
  if (!DECIMAL.test(resourceVersion)) throw new RangeError(`invalid resource version: "${resourceVersion}"`);
  return Math.floor(Number(resourceVersion) / LANES);
}
