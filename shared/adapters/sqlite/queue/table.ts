/** The queue's tables, and the memory that mirrors them. Everything here runs inside an open transaction, except the reads for display. */
import type { DeadLetter, Message, ReceivedMessage } from '../../../ports/work-queue.ts';
import type { Database } from '../database.ts';
import { DEAD_LETTERS_MAX, DEDUPE_WINDOW_MS, TIMERS_PER_TURN } from '../limits.ts';
import { createQueueState, type Group, type QueueState } from './groups.ts';

/** What the tables need. */
export type TableDeps = {
  database: Database;
  nextPosition(): number;
  receivesMax: number;
  /** Distinguishes this opening of the file from all others: receipts of an earlier one are void. */
  opening: string;
};

/** The tables of all queues. Times are epoch ms. */
export type QueueTable = {
  state(queue: string): QueueState;
  /** When the next timer of a queue is due, or Infinity. */
  nextDue(queue: string): number;
  /** Takes messages in; those whose deduplication id was seen within five minutes are dropped. Returns how many were new. */
  append(messages: readonly Message[], now: number): number;
  addTimer(message: Message, at: number): void;
  /** Turns timers that are due into messages. */
  fireTimers(queue: string, now: number): void;
  /** Delivers up to `max` messages; what was delivered too often goes to the dead letters instead. */
  deliver(options: { queue: string; max: number; until: number; now: number }): ReceivedMessage[];
  /** Removes the messages whose receipts are still valid; returns how many. */
  remove(messages: readonly ReceivedMessage[], now: number): number;
  deadLetters(queue: string, limit: number): DeadLetter[];
  reload(): void;
};

type MessageRow = { groupId: string; dedupeId: string; receives: number; sentAt: number; body: string };
type TimerRow = Message & { position: number };

/** Reads the tables, and keeps in memory who may be delivered next. */
export function createQueueTable(deps: TableDeps): QueueTable {
  const { database } = deps;
  const states = new Map<string, QueueState>();
  const timers = createTimers(deps);
  const state = (queue: string) => {
    const known = states.get(queue) ?? createQueueState();
    states.set(queue, known);
    return known;
  };
  const append = (messages: readonly Message[], now: number) => {
    forgetExpired(database, now, 2 * messages.length);
    const fresh = messages.filter((message) => isFresh(database, message, now));
    for (const message of fresh) state(message.queue).append(message.groupId, insertMessage(deps, message, now));
    return fresh.length;
  };
  const reload = () => {
    states.clear();
    timers.reload();
    const sql = 'SELECT position, queue, groupId FROM queue ORDER BY position';
    for (const [position, queue, groupId] of database.rows<readonly [number, string, string]>(sql))
      state(queue).append(groupId, position);
  };
  reload();
  const receiptOf = createReceipts(deps.opening);

  return {
    state,
    reload,
    append,
    nextDue: timers.nextDue,
    addTimer: timers.add,
    fireTimers(queue, now) {
      if (timers.nextDue(queue) <= now) append(timers.takeDue(queue, now), now);
    },
    deliver({ queue, max, until, now }) {
      state(queue).expire(now);
      const received: ReceivedMessage[] = [];
      for (const group of [...takeGroups(state(queue), max)]) {
        if (received.length >= max) break;
        received.push(...deliverGroup(deps, state(queue), { queue, group, max: max - received.length, until, now, receiptOf }));
      }
      return received;
    },
    remove(messages, now) {
      let removed = 0;
      for (const { queue, receipt } of messages) {
        const flight = state(queue).flight(receipt, now);
        if (!flight) continue;
        database.run('DELETE FROM queue WHERE position = ?', flight.position);
        state(queue).land(flight, false);
        removed += 1;
      }
      return removed;
    },
    deadLetters: (queue, limit) => readDeadLetters(database, queue, limit),
  };
}

/** Each delivery has a receipt of its own. */
function createReceipts(opening: string): (position: number) => string {
  let deliveries = 0;
  return (position) => {
    deliveries += 1;
    return `${opening}:${position}:${deliveries}`;
  };
}

function readDeadLetters(database: Database, queue: string, limit: number): DeadLetter[] {
  const sql =
    'SELECT position, queue, groupId, dedupeId, receives, diedAt, body FROM dead WHERE queue = ? ORDER BY position LIMIT ?';
  return database
    .all<TimerRow & { receives: number; diedAt: number }>(sql, queue, limit)
    .map(({ position, ...letter }) => ({ ...letter, id: String(position) }));
}

/** Messages for later, and when the first of each queue is due. */
type Timers = {
  nextDue(queue: string): number;
  add(message: Message, at: number): void;
  /** Takes out what is due, the earliest first, a limited number at a time. */
  takeDue(queue: string, now: number): readonly Message[];
  reload(): void;
};

function createTimers({ database, nextPosition }: TableDeps): Timers {
  const due = new Map<string, number>();
  const nextDue = (queue: string) => due.get(queue) ?? Number.POSITIVE_INFINITY;
  const readDue = (queue: string) => {
    const row = database.get<{ due: number | null }>('SELECT min(due) AS due FROM timer WHERE queue = ?', queue);
    due.set(queue, row?.due ?? Number.POSITIVE_INFINITY);
  };
  return {
    nextDue,
    add({ queue, groupId, dedupeId, body }, at) {
      database.run('INSERT INTO timer VALUES (?, ?, ?, ?, ?, ?)', nextPosition(), queue, at, groupId, dedupeId, body);
      due.set(queue, Math.min(nextDue(queue), at));
    },
    takeDue(queue, now) {
      const sql =
        'SELECT position, queue, groupId, dedupeId, body FROM timer WHERE queue = ? AND due <= ? ORDER BY due, position LIMIT ?';
      const timers = database.all<TimerRow>(sql, queue, now, TIMERS_PER_TURN);
      for (const { position } of timers) database.run('DELETE FROM timer WHERE position = ?', position);
      readDue(queue);
      return timers;
    },
    reload() {
      due.clear();
      for (const { queue } of database.all<{ queue: string }>('SELECT DISTINCT queue FROM timer')) readDue(queue);
    },
  };
}

/** The groups that wait longest: one message at least from each, so no more than `max` plus those that only hold dead letters. */
function* takeGroups(state: QueueState, max: number): Generator<Group> {
  let left = max + TIMERS_PER_TURN;
  for (const group of state.ready()) {
    if (left-- <= 0) return;
    yield group;
  }
}

type Delivery = { queue: string; group: Group; max: number; until: number; now: number; receiptOf(position: number): string };

function deliverGroup(deps: TableDeps, state: QueueState, delivery: Delivery): ReceivedMessage[] {
  const { queue, group, max, until, now, receiptOf } = delivery;
  const received: ReceivedMessage[] = [];
  const receipts = new Map<number, string>();
  for (const position of [...group.positions]) {
    if (received.length >= max) break;
    const row = deps.database.get<MessageRow>(
      'SELECT groupId, dedupeId, receives, sentAt, body FROM queue WHERE position = ?',
      position,
    );
    if (!row || row.receives >= deps.receivesMax) {
      if (row) bury(deps.database, queue, position, row, now);
      state.drop(group, position);
      continue;
    }
    const receives = row.receives + 1;
    deps.database.run('UPDATE queue SET receives = ? WHERE position = ?', receives, position);
    const receipt = receiptOf(position);
    receipts.set(position, receipt);
    received.push({ queue, ...row, receives, id: String(position), receipt });
  }
  state.take(group, [...receipts.keys()], (position) => receipts.get(position) ?? '', until);
  return received;
}

function bury(database: Database, queue: string, position: number, row: MessageRow, now: number): void {
  database.run('DELETE FROM queue WHERE position = ?', position);
  const values = [position, queue, row.groupId, row.dedupeId, row.receives, now, row.body] as const;
  database.run('INSERT INTO dead VALUES (?, ?, ?, ?, ?, ?, ?)', ...values);
  const oldest = 'SELECT position FROM dead WHERE queue = ? ORDER BY position DESC LIMIT -1 OFFSET ?';
  database.run(`DELETE FROM dead WHERE position IN (${oldest})`, queue, DEAD_LETTERS_MAX);
}

function insertMessage({ database, nextPosition }: TableDeps, message: Message, now: number): number {
  const { queue, groupId, dedupeId, body } = message;
  const position = nextPosition();
  database.run('INSERT INTO queue VALUES (?, ?, ?, ?, 0, ?, ?)', position, queue, groupId, dedupeId, now, body);
  return position;
}

function isFresh(database: Database, { queue, dedupeId }: Message, now: number): boolean {
  const sql = `INSERT INTO dedupe VALUES (?, ?, ?)
    ON CONFLICT (queue, dedupeId) DO UPDATE SET expires = excluded.expires WHERE expires <= ?`;
  return database.run(sql, queue, dedupeId, now + DEDUPE_WINDOW_MS, now) > 0;
}

/** Removes at most `rows` ids whose window is over: as many leave as come, so that no turn has to remove many. */
function forgetExpired(database: Database, now: number, rows: number): void {
  const expired = 'SELECT queue, dedupeId FROM dedupe WHERE expires <= ? ORDER BY expires LIMIT ?';
  database.run(`DELETE FROM dedupe WHERE (queue, dedupeId) IN (${expired})`, now, rows);
}
