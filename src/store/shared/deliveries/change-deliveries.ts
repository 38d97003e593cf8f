/** Retries and discards deliveries, at an operator's request. Lanes, counts and failures are each database's own. */
import { sql } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import { rowId, rowOf } from '../ids.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { Condition } from '../sql/dialect.ts';
import { rows, run, type Write } from '../sql/statements.ts';
import type { DeliveryClass } from '../statistics/count-classes.ts';
import { NO_HEAD } from './head-values.ts';
import type { LaneKey } from './lane-key.ts';

/** A delivery of the database, as it was before its change. */
export interface ChangedDelivery extends DeliveryClass {
  readonly id: number;
  readonly status: DeliveryStatus;
}

/** What each database does in its own way when deliveries change. */
export interface DeliveryParts {
  /** Locks the lanes of those deliveries that a condition finds. It comes before any lock of deliveries. */
  readonly lockLanesOf: (condition: Condition) => Write<void>;
  /**
   * Makes the first deliveries of lanes heads, where another one was or none. Where one runs, the lane proceeds to the
   * first when that ends.
   */
  putFirst(revived: readonly (LaneKey & { readonly id: number })[], now: number): Write<void>;
  /** Makes the first deliveries of lanes heads, whose heads have ended. */
  makeHeadsOf(lanes: readonly LaneKey[], now: number): Write<void>;
  /** Counts deliveries with another status, and takes them out of their groups of failures. */
  readonly moved: (deliveries: readonly ChangedDelivery[], to: DeliveryStatus) => Write<void>;
}

interface FoundDelivery extends ChangedDelivery, LaneKey {
  readonly head: number;
}

export type DeliveryChanges = ReturnType<typeof createDeliveryChanges>;

export function createDeliveryChanges({ dialect }: Pick<SharedConnection, 'dialect'>, parts: DeliveryParts) {
  const isOneOf = (deliveries: readonly number[]) => dialect.isAnyOf('id', deliveries, 'bigint');

  /** Locks deliveries in these statuses, and their lanes. */
  function* lock(
    wanted: readonly number[],
    statuses: readonly DeliveryStatus[],
  ): Write<readonly FoundDelivery[]> {
    const found = sql<boolean>`
      ${isOneOf(wanted)} and ${dialect.unindexed('status')} in (${sql.join(statuses.map((status) => sql.lit(status)))})`;
    yield* parts.lockLanesOf(found);
    return yield* rows(sql<FoundDelivery>`
      select id, handler, lane, replay_id as "replayId", status, head from deliveries
      where ${found} order by id ${dialect.forUpdate}`);
  }

  return {
    /**
     * Makes dead deliveries pending again, and returns their ids.
     *
     * A lane runs its deliveries by number. A dead one has a lower number than all that wait, except others retried
     * before it, so it returns to its place.
     */
    *retryDeliveries(ids: readonly string[], now: number): Write<readonly string[]> {
      const wanted = rowsOf(ids);
      const dead = yield* lock(wanted, ['dead']);
      if (dead.length === 0) return [];
      yield* run(sql`
        update deliveries set status = 'pending', attempts = 0, finished_at = null, due_at = null, asked_at = null
        where ${isOneOf(dead.map(({ id }) => id))}`);
      yield* parts.putFirst(dead, now);
      yield* parts.moved(dead, 'pending');
      return idsOf(wanted, dead);
    },
    /** Ends pending and dead deliveries as skipped, and returns their ids. */
    *discardDeliveries(
      ids: readonly string[],
      { reason, now }: { readonly reason: string; readonly now: number },
    ): Write<readonly string[]> {
      const wanted = rowsOf(ids);
      const discarded = yield* lock(wanted, ['pending', 'dead']);
      if (discarded.length === 0) return [];
      // Why it failed stays known.
      yield* run(sql`
        update deliveries set
          status = 'skipped', head = ${sql.lit(NO_HEAD)}, due_at = null, asked_at = null, finished_at = ${now},
          last_error = cast(${reason} as text) || coalesce('; before: ' || last_error, '')
        where ${isOneOf(discarded.map(({ id }) => id))}`);
      // The next delivery of its lane waited for it.
      yield* parts.makeHeadsOf(
        discarded.filter(({ head }) => head !== NO_HEAD),
        now,
      );
      yield* parts.moved(discarded, 'skipped');
      return idsOf(wanted, discarded);
    },
  };
}

function rowsOf(ids: readonly string[]): readonly number[] {
  return [...new Set(ids.map((id) => rowOf('d', id) ?? 0))];
}

/** Returns the ids of those that have changed, in the order in which they were wanted. */
function idsOf(wanted: readonly number[], changed: readonly { readonly id: number }[]): readonly string[] {
  const rowNumbers = new Set(changed.map(({ id }) => id));
  return wanted.filter((id) => rowNumbers.has(id)).map((id) => rowId('d', id));
}
