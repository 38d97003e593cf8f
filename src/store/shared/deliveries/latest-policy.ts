/** What becomes of a lane of which only the newest delivery runs. A store reads the end of the lane, and does it. */
import { sql } from 'kysely';
import type { LatestHandler, LatestPolicy, SupersededDeliveries } from '../../lane-queue.ts';
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
  /** 1 for what an operator asked for, a replay or a retry of a dead letter: it runs. */
  readonly kept: number;
}

/** What a claim does with a lane whose head does not start as it is. Nothing: a later claim decides. */
export interface LaneChange {
  /** Ends deliveries as skipped, with a reason. */
  readonly superseded?: { readonly ids: readonly number[]; readonly reason: string };
  /** Makes a delivery the head, which starts if it is due; none while there is more to skip. */
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
export function changeOfLane(
  head: Pick<LaneHead, 'delivery_id'>,
  waiting: readonly WaitingDelivery[],
  { quietMs, maxWaitMs, now, most, ids }: LatestPolicy & ChangeOptions,
): LaneChange | undefined {
  const lane = waiting.toReversed();
  const isWhole = lane[0] !== undefined && lane[0].id <= head.delivery_id;
  if (!isWhole && lane.length < READ_AT_ONCE) return {};
  const arrived = lane.filter(({ kept }) => kept === 0);
  const [newest] = arrived.filter(({ ambiguous }) => ambiguous === 0).toSorted(byAge);
  const older = newest === undefined ? [] : arrived.filter((each) => byAge(newest, each) < 0);
  const superseded = (count: number): Pick<LaneChange, 'superseded'> =>
    newest === undefined || count === 0
      ? {}
      : {
          superseded: {
            ids: older.slice(older.length - count).map(({ id }) => id),
            reason: `superseded by ${ids.event(newest.event_id)}`,
          },
        };
  // What an operator asked for may fill the end of the lane.
  if (!isWhole) return older.length === 0 ? undefined : superseded(Math.min(older.length, most));
  // Without the head, which stays until a claim can skip all.
  if (older.length > most) return superseded(most);

  const skipped = new Set(older);
  const next = lane.find((each) => !skipped.has(each));
  if (next?.kept === 0) {
    const last = Math.max(...arrived.map((each) => each.received_at));
    const first = arrived[0]?.received_at ?? last;
    // A clock that went back prolongs no wait.
    const dueAt = Math.min(last + quietMs, first + maxWaitMs, now + quietMs);
    if (dueAt > now) return { head: { id: head.delivery_id, dueAt } };
  }
  if (next === undefined || older.length === 0) return undefined;
  return { ...superseded(older.length), head: { id: next.id, dueAt: now } };
}

interface ChangeOptions {
  readonly now: number;
  readonly most: number;
  readonly ids: Pick<Ids, 'event'>;
}

/** Newest first. */
function byAge(one: WaitingDelivery, other: WaitingDelivery): number {
  if (one.version === null || other.version === null || one.version === other.version)
    return other.event_id - one.event_id;
  return one.version > other.version ? -1 : 1;
}

/** Whether a delivery that waits was a dead letter that an operator has retried: 1 or 0. */
export const wasRetried = sql<boolean>`(deliveries.last_error is not null and exists (
  select 1 from attempts where attempts.delivery_id = deliveries.id and attempts.outcome = 'dead'))`;

/** A chosen head whose lane runs the newest delivery only. */
export interface LatestHead {
  readonly head: LaneHead;
  readonly policy: LatestPolicy;
}

/** What starts instead of a chosen head; null: nothing now. What starts as it is has no entry. */
export type SettledHeads = ReadonlyMap<LaneHead, LaneHead | null>;

/** The part of one claim that looks after such lanes. */
export interface LatestClaim {
  /** Those of the chosen heads that are concerned. */
  among(choice: Choice): readonly LatestHead[];
  /** How many more deliveries may be skipped. */
  left(): number;
  /** Counts a change of a lane. */
  changed(handler: string, change: LaneChange): void;
  /** What the claim starts, and what it says of itself. */
  end(
    settled: SettledHeads,
    choice: Choice,
    now: number,
  ): Choice & {
    readonly superseded: readonly SupersededDeliveries[];
    /** Whether lanes were changed whose deliveries do not start yet: the next claim looks at others, or at the rest. */
    readonly more: boolean;
  };
}

export function beginLatestClaim(handlers: readonly LatestHandler[] = []): LatestClaim {
  const policies = new Map(handlers.map((each) => [each.handler, each]));
  const superseded = new Map<string, number>();
  let left = SUPERSEDED_AT_ONCE;
  let hasChanged = false;
  return {
    among({ running, prefetched }) {
      if (policies.size === 0) return [];
      return [...running, ...prefetched].flatMap((head) => {
        const policy = policies.get(head.handler);
        // A lane of the whole handler, of an earlier definition, has several subjects. A replay runs as it is.
        return policy === undefined || head.lane <= 0 || head.replay_id !== 0 ? [] : [{ head, policy }];
      });
    },
    left: () => left,
    changed(handler, change) {
      const count = change.superseded?.ids.length ?? 0;
      hasChanged ||= count > 0 || change.head !== undefined;
      left -= count;
      if (count > 0) superseded.set(handler, (superseded.get(handler) ?? 0) + count);
    },
    end(settled, choice, now) {
      if (settled.size === 0) return { ...choice, superseded: [], more: false };
      const start = (head: LaneHead): readonly LaneHead[] => {
        const instead = settled.get(head);
        return instead === undefined ? [head] : instead === null ? [] : [instead];
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
