/** What the clusters function remembers of a cluster between probes and shows nobody. */
import { parseJson, stringifyJson } from '../../shared/machinery/codec/json.ts';
import type { JsonObject } from '../../shared/machinery/object.ts';
import type { Records } from '../../shared/ports/object-store.ts';
import type { Pending } from './health.ts';

/** Stored as a record, so that no object is written for it and the next process goes on. Times are epoch ms; 0: never. */
export type ClusterMemo = { seenAt: number; pending?: Pending; joinTriedAt: number };

/** Kept in this process only: another process merely looks once more than needed. */
export type ProbeTimes = { capacityAt: number; capacityTookMs: number; discoveredAt: number };

const FIRST: ClusterMemo = { seenAt: 0, joinTriedAt: 0 };
/** `seenAt` alone moves with every probe; it is stored this often. */
const SEEN_STORED_EVERY_MS = 30_000;

const ownerOf = (cluster: string): string => `C#${cluster}`;

/** The memo of a cluster, of the first kind when there is none. */
export async function loadMemo(records: Pick<Records, 'ofOwner'>, cluster: string): Promise<ClusterMemo> {
  const [stored] = await records.ofOwner(ownerOf(cluster));
  return stored ? { ...FIRST, ...(parseJson(stored.body) as unknown as ClusterMemo) } : FIRST;
}

/** Stores a memo that says something new. */
export async function saveMemo(
  records: Pick<Records, 'write'>,
  cluster: string,
  memo: ClusterMemo,
  stored: ClusterMemo,
): Promise<void> {
  const isSame = memo.joinTriedAt === stored.joinTriedAt && memo.pending?.since === stored.pending?.since;
  if (isSame && memo.pending?.ready === stored.pending?.ready && memo.seenAt - stored.seenAt < SEEN_STORED_EVERY_MS) return;
  const body = stringifyJson(memo as unknown as JsonObject);
  await records.write([{ owner: ownerOf(cluster), cluster, body }]);
}

/** Forgets a cluster that is gone. */
export async function dropMemo(records: Pick<Records, 'write'>, cluster: string): Promise<void> {
  await records.write([{ owner: ownerOf(cluster), cluster, body: null }]);
}
