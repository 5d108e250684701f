/**
 * WorkQueue: SQS FIFO's semantics. Messages of one group are delivered in order, one batch in flight at a time; a message sent again with the
 * same deduplication id within five minutes is accepted and dropped; what is not acknowledged comes back after the visibility timeout,
 * and after `receivesMax` deliveries goes to the dead letters. There is no delay on a FIFO message: use `sendLater`.
 */

/** A message. `body` is at most 256 KiB of text; ids at most 128 characters of [A-Za-z0-9] and punctuation, as SQS has it. */
export type Message = { queue: string; groupId: string; dedupeId: string; body: string };

/** A message in flight. `receipt` acknowledges this delivery only; `receives` counts deliveries, this one included. */
export type ReceivedMessage = Message & { id: string; receipt: string; receives: number; sentAt: number };

export type DeadLetter = Message & { id: string; receives: number; diedAt: number };

export type WorkQueue = {
  /** All or none. Rejects with a RangeError what SQS refuses (size, id length or characters, more than 10 at once are split by the adapter). */
  send(messages: readonly Message[]): Promise<void>;
  /** Delivers no earlier than `at` (epoch ms). Up to 15 minutes ahead on a timer queue; beyond, kept as a due item. */
  sendLater(message: Message, at: number): Promise<void>;
  /**
   * Up to `max` (1 to 10) messages, invisible to others for `visibilityMs` (up to 12 h); waits up to `waitMs` (up to 20 s) for the first.
   * Ends early with none when the signal aborts or the queue closes; a RangeError for what SQS refuses.
   */
  receive(options: {
    queue: string;
    max: number;
    visibilityMs: number;
    waitMs: number;
    signal?: AbortSignal;
  }): Promise<readonly ReceivedMessage[]>;
  /** Removes messages that were handled. A receipt that is no longer valid is passed over. */
  acknowledge(messages: readonly ReceivedMessage[]): Promise<void>;
  /** Makes messages visible again after `delayMs`; later messages of their group wait for them. */
  release(messages: readonly ReceivedMessage[], delayMs: number): Promise<void>;
  deadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]>;
  /** Messages waiting or in flight, for display. */
  depth(queue: string): Promise<number>;
};
