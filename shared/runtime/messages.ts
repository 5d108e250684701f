/**
 * The work queues and what their messages carry: keys, never objects. Every worker re-reads, so a repeated, reordered or late message is harmless.
 */
import type { ObjectRef } from '../apis/stored.ts';

/** Queue names. One FIFO queue each; `clusters` and `sweeper` also get scheduled messages. */
export type QueueName = 'scheduler' | 'dispatcher' | 'status' | 'clusters' | 'sweeper';

/** Place (or un-place) one source object. */
export type ScheduleMessage = { type: 'schedule'; source: ObjectRef; attempt: number };
/** Bring one cluster's copy of one FederatedObject to what its decision says. `federated` names the (Cluster)FederatedObject. */
export type DispatchMessage = { type: 'dispatch'; federated: ObjectRef; cluster: string; attempt: number };
/** Fold the records of one FederatedObject into its status, its CollectedStatus and its source's status. */
export type StatusMessage = { type: 'status'; federated: ObjectRef; attempt: number };
/** Join, probe or leave one cluster. */
export type ClusterMessage = { type: 'cluster'; cluster: string; attempt: number };
/** Work of the API's own controllers, and the slow pass. */
export type SweepMessage =
  | { type: 'ownerGone'; uid: string; attempt: number }
  | { type: 'deleting'; object: ObjectRef; attempt: number }
  | { type: 'namespace'; name: string; attempt: number }
  /** One controller's look at one object; `controller` names it (control/routes.ts says when, functions/sweeper/controllers what). */
  | { type: 'control'; controller: string; object: ObjectRef; attempt: number }
  | { type: 'pass'; attempt: number };

export type WorkMessage = ScheduleMessage | DispatchMessage | StatusMessage | ClusterMessage | SweepMessage;
