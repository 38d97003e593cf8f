/** What becomes of a lane of which only the newest delivery runs. A store reads the end of the lane, and does it. */
import { sql } from 'kysely';
import type { ClaimRequest, LatestPolicy, SupersededDeliveries } from '../../lane-queue.ts';
import type { Ids } from '../ids.ts';
import { isUninterruptedFirstAttempt, type Choice, type LaneHead } from './claim-policy.ts';

/** Deliveries that one claim skips, at most: a lane may have hundreds of thousands. */
const SUPERSEDED_AT_ONCE = 1_000;

/** Deliveries of a lane that are read at once. */
export const READ_AT_ONCE = SUPERSEDED_AT_ONCE + 1;

/** A delivery that waits, with what orders it among those of its lane. */
export interface WaitingDelivery {
  readonly id: number;
  readonly event_id: number;
  readonly version: string | null;
  readonly received_at: number;
  /** 1 for an event that may be a late redelivery: it supersedes nothing. */
  readonly ambiguous: number;
  /** 1 for an event that was released from quarantine: its number says nothing of its arrival. */
  readonly released: number;
  /** 1 for what an operator asked for, a replay or a retry of a dead letter: it runs. */
  readonly kept: number;
}

/** What a claim does with a lane whose head does not start as it is. */
export interface LaneChange {
  readonly due: LaneHead;
  /** Ends deliveries as skipped, with a reason. */
  readonly superseded?: readonly number[];
  readonly reason?: string;
  /**
   * Makes a delivery the head, which starts if it is due; none while there is more to skip. If `due` has waited for its
   * rate, so has the head: it asks again, and does not wait as one that came later.
   */
  readonly head?: { readonly id: number; readonly dueAt: number };
}

/**
 * Decides what a claim does with a lane whose head is due; undefined: the head starts as it is.
 *
 * Of two events, that with the higher version is newer; if one has none, that which arrived last.
 *
 * @param waiting the last deliveries of the lane, newest number first: all, or READ_AT_ONCE; fewer are to be read again
 * @param most the number of deliveries that may be skipped
 */
function changeOfLane(
  due: LaneHead,
  waiting: readonly WaitingDelivery[],
  { quietMs, maxWaitMs, now, most, ids }: LatestPolicy & ChangeOptions,
): LaneChange | undefined {
  const lane = waiting.toReversed();
  const isWhole = lane[0] !== undefined && lane[0].id <= due.delivery_id;
  if (!isWhole && lane.length < READ_AT_ONCE) return { due };
  const arrived = lane.filter(({ kept }) => kept === 0);
  const order = oldestFirst(arrived);
  const last = order.findLastIndex(({ ambiguous }) => ambiguous === 0);
  const newest = order[last];
  const skipped = new Set(order.slice(0, Math.max(0, last)));
  const older = arrived.filter((each) => skipped.has(each));
  const superseded = (count: number): LaneChange =>
    newest === undefined || count === 0
      ? { due }
      : {
          due,
          superseded: older.slice(older.length - count).map(({ id }) => id),
          reason: `superseded by ${ids.event(newest.event_id)}`,
        };
  // What an operator asked for may fill the end of the lane.
  if (!isWhole) return older.length === 0 ? undefined : superseded(Math.min(older.length, most));
  // Without the head, which stays until a claim can skip all.
  if (older.length > most) return superseded(most);

  const next = lane.find((each) => !skipped.has(each));
  if (next?.kept === 0) {
    // A clock that went back prolongs no wait: what is of the future does not count.
    const times = arrived.map((each) => each.received_at).filter((at) => at <= now);
    const lastAt = Math.max(...times);
    const dueAt = Math.min(lastAt + quietMs, (times[0] ?? lastAt) + maxWaitMs);
    if (dueAt > now) return { due, head: { id: due.delivery_id, dueAt } };
  }
  if (next === undefined || older.length === 0) return undefined;
  return { ...superseded(older.length), head: { id: next.id, dueAt: now } };
}

interface ChangeOptions {
  readonly now: number;
  readonly most: number;
  readonly ids: Pick<Ids, 'event'>;
}

/** One order of all: of three that are compared two by two, each could be newer than another one. */
function oldestFirst(waiting: readonly WaitingDelivery[]): readonly WaitingDelivery[] {
  let earliest = Infinity;
  const timed = waiting
    .toSorted((one, other) => other.event_id - one.event_id)
    .map((delivery) => {
      // What is stored after others, and is no release, has arrived after them, whatever the clock said.
      const at = Math.min(earliest, delivery.received_at);
      if (delivery.released === 0) earliest = at;
      return { delivery, at };
    });
  let highest = '';
  return timed
    .toReversed()
    .toSorted((one, other) => one.at - other.at)
    .map(({ delivery }) => {
      // One without a version is newer than every version that has arrived before it.
      const version = delivery.version ?? highest;
      if (version > highest) highest = version;
      return { delivery, version };
    })
    .toSorted(({ version: one }, { version: other }) => (one === other ? 0 : one > other ? 1 : -1))
    .map(({ delivery }) => delivery);
}

/** Whether a delivery that waits was a dead letter that an operator has retried: 1 or 0. */
export const wasRetried = sql<boolean>`(deliveries.last_error is not null and exists (
  select 1 from attempts where attempts.delivery_id = deliveries.id and attempts.outcome = 'dead'))`;

/** Whether an event was released from quarantine; `flags` is a JSON array of names. */
export const wasReleased = sql<boolean>`(events.flags like '%"released"%')`;

export type LatestClaim = ReturnType<typeof beginLatestClaim>;

/** Begins the part of a claim that looks after such lanes: it says what to do with them, and what then starts. */
export function beginLatestClaim({ latest = [], now }: ClaimRequest, ids: Pick<Ids, 'event'>) {
  const policies = new Map(latest.map((each) => [each.handler, each]));
  const superseded = new Map<string, number>();
  /** What starts instead of a chosen head; null: nothing now. */
  const settled = new Map<LaneHead, LaneHead | null>();
  let left = SUPERSEDED_AT_ONCE;
  let hasChanged = false;
  return {
    /** The chosen heads that are concerned. */
    among({ running, prefetched }: Choice): readonly LaneHead[] {
      if (policies.size === 0) return [];
      // A lane of the whole handler, of an earlier definition, has several subjects. A replay runs as it is.
      return [...running, ...prefetched].filter(
        ({ handler, lane, replay_id: replay }) => policies.has(handler) && lane > 0 && replay === 0,
      );
    },
    /** The changes to make, by what waits in the lanes of heads. */
    changesOf(
      heads: readonly LaneHead[],
      waitingIn: (head: LaneHead, at: number) => readonly WaitingDelivery[],
    ): readonly LaneChange[] {
      let most = left;
      return heads.flatMap((due, at) => {
        const { quietMs = 0, maxWaitMs = 0 } = policies.get(due.handler) ?? {};
        const change = changeOfLane(due, waitingIn(due, at), { quietMs, maxWaitMs, now, most, ids });
        if (change === undefined) return [];
        settled.set(due, null);
        most -= change.superseded?.length ?? 0;
        return change.superseded === undefined && change.head === undefined ? [] : [change];
      });
    },
    /** Called for each change that was made, with the head that it made. */
    made({ due, superseded: skipped = [] }: LaneChange, head: LaneHead | undefined): void {
      hasChanged = true;
      left -= skipped.length;
      if (skipped.length > 0)
        superseded.set(due.handler, (superseded.get(due.handler) ?? 0) + skipped.length);
      if (head !== undefined && head.due_at <= now) settled.set(due, head);
    },
    /** What the claim starts and says. `more`: lanes have changed that start nothing yet, so the next claim goes on. */
    end(choice: Choice): Choice & {
      readonly superseded: readonly SupersededDeliveries[];
      readonly more: boolean;
    } {
      if (settled.size === 0) return { ...choice, superseded: [], more: false };
      const start = (head: LaneHead): readonly LaneHead[] => {
        const instead = settled.get(head);
        return instead === null ? [] : [instead ?? head];
      };
      const running = choice.running.flatMap(start);
      const prefetched = choice.prefetched.flatMap(start).filter(isUninterruptedFirstAttempt);
      const isLess = running.length + prefetched.length < choice.running.length + choice.prefetched.length;
      return {
        running,
        prefetched,
        // Those that do not start may be due all the same.
        nextDueAt: isLess ? Math.min(now, choice.nextDueAt ?? now) : choice.nextDueAt,
        superseded: [...superseded].map(([handler, deliveries]) => ({ handler, deliveries })),
        more: isLess && hasChanged,
      };
    },
  };
}
