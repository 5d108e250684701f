/**
 * Who may be delivered next, in memory: message numbers per group, what is in flight and until when. Bodies stay in the file. Flights are not
 * stored: when the process dies, its receivers die with it, and everything unacknowledged is visible at once.
 */

/** A delivery that has not been acknowledged. */
export type Flight = { position: number; group: Group; receipt: string; until: number };
/** Messages of one group that are not acknowledged, in their order, and how many of them are in flight. */
export type Group = { id: string; positions: number[]; flights: number };

/** Who may be delivered next in one queue. Numbers are positions of rows; times are epoch ms. */
export type QueueState = {
  append(groupId: string, position: number): void;
  /** True when a message could be delivered at `now`. */
  isReady(now: number): boolean;
  /** The next moment at which a flight ends, or Infinity. */
  nextDeadline(): number;
  /** Makes flights that ended by `now` visible again. */
  expire(now: number): void;
  /** Groups that wait for a receiver, the longest waiting first. */
  ready(): IterableIterator<Group>;
  /** Puts the given messages of a ready group in flight. */
  take(group: Group, positions: readonly number[], receiptOf: (position: number) => string, until: number): void;
  /** A flight that is still valid at `now`. */
  flight(receipt: string, now: number): Flight | undefined;
  /** Ends a flight; `keep` makes the message visible again. */
  land(flight: Flight, keep: boolean): void;
  /** Changes how long a message stays invisible. */
  extend(flight: Flight, until: number): void;
  /** Takes a message out for good that is not in flight. */
  drop(group: Group, position: number): void;
  size(): number;
};

/** The state of one queue. */
export function createQueueState(): QueueState {
  const groups = new Map<string, Group>();
  const waiting = new Set<Group>();
  const flights = new Map<string, Flight>();
  let deadline = Number.POSITIVE_INFINITY;
  let size = 0;

  const remove = (group: Group, position: number) => {
    const at = group.positions.indexOf(position);
    if (at < 0) return;
    group.positions.splice(at, 1);
    size -= 1;
  };
  const settle = (group: Group) => {
    if (group.positions.length === 0) groups.delete(group.id);
    // Only a group with nothing in flight may be delivered from: that is what keeps its order.
    if (group.positions.length > 0 && group.flights === 0) waiting.add(group);
    else waiting.delete(group);
  };
  const land = (flight: Flight, keep: boolean) => {
    if (!flights.delete(flight.receipt)) return;
    flight.group.flights -= 1;
    if (!keep) remove(flight.group, flight.position);
    settle(flight.group);
  };
  return {
    append(groupId, position) {
      const group = groups.get(groupId) ?? { id: groupId, positions: [], flights: 0 };
      groups.set(groupId, group);
      group.positions.push(position);
      size += 1;
      settle(group);
    },
    isReady: (now) => waiting.size > 0 || deadline <= now,
    nextDeadline: () => deadline,
    expire(now) {
      if (now < deadline) return;
      for (const flight of [...flights.values()]) if (flight.until <= now) land(flight, true);
      deadline = Number.POSITIVE_INFINITY;
      for (const { until } of flights.values()) deadline = Math.min(deadline, until);
    },
    ready: () => waiting.values(),
    take(group, positions, receiptOf, until) {
      for (const position of positions) {
        const receipt = receiptOf(position);
        flights.set(receipt, { position, group, receipt, until });
      }
      group.flights += positions.length;
      deadline = Math.min(deadline, until);
      settle(group);
    },
    flight(receipt, now) {
      const flight = flights.get(receipt);
      return flight && flight.until > now ? flight : undefined;
    },
    land,
    extend(flight, until) {
      flights.set(flight.receipt, { ...flight, until });
      deadline = Math.min(deadline, until);
    },
    drop(group, position) {
      remove(group, position);
      settle(group);
    },
    size: () => size,
  };
}
