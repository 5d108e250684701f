/** Between work and queue messages: which queue, which group, and a deduplication id made of identity and cause, never of content. */
import { sha256Hex } from '../machinery/canonical.ts';
import { parseJson } from '../machinery/codec/json.ts';
import type { Clock } from '../ports/system.ts';
import type { Message, WorkQueue } from '../ports/work-queue.ts';
import { SENT_REMEMBERED_MAX, SENT_REMEMBERED_MS } from './limits.ts';
import type { QueueName, WorkMessage } from './messages.ts';

/**
 * Work, and what it follows from: a resourceVersion, a decision number, a time bucket. The same work for the same cause within five
 * minutes is one message; another cause is another message.
 */
export type Outgoing = { work: WorkMessage; cause: string };

/** Sends work. Rejects only when the queue's medium fails. */
export type Sender = {
  send(outgoing: readonly Outgoing[]): Promise<void>;
  /** Not before `at` (epoch ms). */
  sendLater(outgoing: Outgoing, at: number): Promise<void>;
};

/**
 * The sender over a work queue. With a clock it remembers what it sent, and spares the queue the repeats that it would drop: the clusters of one
 * object ask for the same fold, one after the other.
 */
export function createSender(queue: Pick<WorkQueue, 'send' | 'sendLater'>, clock?: Pick<Clock, 'now'>): Sender {
  const memory = clock ? createMemory(clock) : undefined;
  return {
    async send(outgoing) {
      const messages = outgoing.map(toMessage).filter(({ dedupeId }) => !memory?.knows(dedupeId));
      if (messages.length === 0) return;
      await queue.send(messages);
      for (const { dedupeId } of messages) memory?.note(dedupeId);
    },
    async sendLater(outgoing, at) {
      const message = toMessage(outgoing);
      if (memory?.knows(message.dedupeId)) return;
      await queue.sendLater(message, at);
      memory?.note(message.dedupeId);
    },
  };
}

/** Ids that were sent a short while ago. Noted only after the queue has taken them. */
function createMemory(clock: Pick<Clock, 'now'>): { knows(id: string): boolean; note(id: string): void } {
  const sentAt = new Map<string, number>();
  return {
    knows(id) {
      const at = sentAt.get(id);
      return at !== undefined && clock.now() - at < SENT_REMEMBERED_MS;
    },
    note(id) {
      sentAt.delete(id);
      sentAt.set(id, clock.now());
      const [oldest] = sentAt.keys();
      if (sentAt.size > SENT_REMEMBERED_MAX && oldest !== undefined) sentAt.delete(oldest);
    },
  };
}

/** The queue that takes a kind of work. */
export function queueOf(work: WorkMessage): QueueName {
  if (work.type === 'schedule') return 'scheduler';
  if (work.type === 'dispatch') return 'dispatcher';
  if (work.type === 'status') return 'status';
  if (work.type === 'cluster') return 'clusters';
  return 'sweeper';
}

/** What the work is about, without the attempt: one group per identity, so that work on one key never runs twice at once. */
export function identityOf(work: WorkMessage): string {
  switch (work.type) {
    case 'schedule':
      return `schedule ${refText(work.source)}`;
    case 'dispatch':
      return `dispatch ${refText(work.federated)} ${work.cluster}`;
    case 'status':
      return `status ${refText(work.federated)}`;
    case 'cluster':
      return `cluster ${work.cluster}`;
    case 'ownerGone':
      return `ownerGone ${work.uid}`;
    case 'deleting':
      return `deleting ${refText(work.object)}`;
    case 'namespace':
      return `namespace ${work.name}`;
    case 'control':
      return `control ${work.controller} ${refText(work.object)}`;
    case 'pass':
      return 'pass';
  }
}

/** The queue message of a piece of work. Ids are digests: keys may be longer than the 128 characters that SQS takes. */
export function toMessage({ work, cause }: Outgoing): Message {
  const identity = identityOf(work);
  return {
    queue: queueOf(work),
    groupId: sha256Hex(identity).slice(0, 32),
    dedupeId: sha256Hex(`${identity}\n${cause}\n${work.attempt}`),
    body: JSON.stringify(work),
  };
}

const TYPES = new Set(['schedule', 'dispatch', 'status', 'cluster', 'ownerGone', 'deleting', 'namespace', 'control', 'pass']);

/** Reads a message's body. Undefined when it is not work of ours (another version's, or damaged): it belongs to the dead letters. */
export function parseWork(body: string): WorkMessage | undefined {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { type, attempt } = value as { type?: unknown; attempt?: unknown };
  if (typeof type !== 'string' || !TYPES.has(type) || typeof attempt !== 'number') return undefined;
  return value as WorkMessage;
}

function refText(ref: { scope: string; namespace: string; name: string }): string {
  return `${ref.scope}/${ref.namespace}/${ref.name}`;
}
