/** Prunes entries of the quarantine and deliveries, and records what was pruned. */
import { sql, type RawBuilder } from 'kysely';
import type { PruningRun } from '../../retention.ts';
import type { ChangedDelivery, DeliveryParts } from '../deliveries/change-deliveries.ts';
import { deliveryIsHeld, entryIsHeld } from '../privacy/hold-conditions.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { numberOf } from '../sql/dialect.ts';
import { rows, run, type Write } from '../sql/statements.ts';
import { carriesContent, DISCARDED, lastCameAt } from './prune-pages.ts';

/** An entry of the quarantine that was removed. */
export interface RemovedEntry {
  readonly verified: number;
  readonly reason: string;
  readonly status: string;
  readonly bytes: number;
}

/** What pruning does in each database's own way. */
export interface PruneParts extends Pick<DeliveryParts, 'moved'> {
  /** Ends a `select` that locks deliveries whose key stays. */
  readonly lockRows: RawBuilder<unknown>;
  /** Remembers the number of the newest failed attempt: on SQLite, the next one would get that of a removed one. */
  rememberAttempts?(): Write<void>;
  /** Takes removed entries out of those that the quota has dropped. */
  uncountDropped(entries: readonly RemovedEntry[]): Write<void>;
  /** Sets the first event that may have a body, where that is recorded: the end of a `set`. */
  andFirstBody(event: number): RawBuilder<unknown>;
}

interface OldDelivery extends ChangedDelivery {
  readonly carries: number;
}

/** Numbers to add to what was pruned since the store was created. */
interface Pruned {
  readonly events?: number;
  /** Bytes of bodies and headers. */
  readonly bytes?: number;
  readonly quarantine?: number;
  readonly deliveries?: number;
  /** Dead letters among the deliveries. */
  readonly discarded?: number;
}

/** Adds up what was ever pruned, in one row for all processes: whoever prunes holds the lock on content. */
export function* countPruned({
  events = 0,
  bytes = 0,
  quarantine = 0,
  deliveries = 0,
  discarded = 0,
}: Pruned): Write<void> {
  if (events + quarantine + deliveries === 0) return;
  yield* run(sql`
    update retention set pruned_events = pruned_events + ${events}, pruned_bytes = pruned_bytes + ${bytes},
      pruned_quarantine = pruned_quarantine + ${quarantine},
      pruned_deliveries = pruned_deliveries + ${deliveries},
      discarded_deliveries = discarded_deliveries + ${discarded}`);
}

export function createPruneWrites({ dialect }: Pick<SharedConnection, 'dialect'>, parts: PruneParts) {
  return {
    /** Removes entries of the quarantine. One that came again meanwhile stays. Returns how many it removed. */
    *pruneQuarantine(entries: readonly number[], before: number): Write<number> {
      yield* dialect.removeContents();
      const removed = yield* rows(sql<RemovedEntry>`
        delete from quarantine
        where ${dialect.isAnyOf('id', entries, 'bigint')} and ${lastCameAt} < ${before} and not ${entryIsHeld}
        returning verified, reason, status, bytes`);
      // The trigger has counted held entries as dropped by the quota.
      yield* parts.uncountDropped(removed.filter(({ status }) => status === 'held'));
      yield* countPruned({ quarantine: removed.length });
      return removed.length;
    },
    /**
     * Removes errors, changes and failed attempts of finished deliveries, and discards dead letters. The rows are
     * locked first: a dead letter that is retried meanwhile is finished no longer, and keeps what it has.
     */
    *pruneDeliveries(
      deliveries: readonly number[],
      before: number,
    ): Write<{ readonly deliveries: number; readonly discarded: number }> {
      yield* dialect.removeContents();
      const old = yield* rows(sql<OldDelivery>`
        select id, handler, replay_id as "replayId", status, ${numberOf(carriesContent)} as carries from deliveries
        where ${dialect.isAnyOf('id', deliveries, 'bigint')} and finished_at < ${before} and not ${deliveryIsHeld}
        order by id ${parts.lockRows}`);
      const ids = old.map(({ id }) => id);
      if (parts.rememberAttempts !== undefined) yield* parts.rememberAttempts();
      const tried = yield* rows(sql<{ id: number }>`
        delete from attempts where ${dialect.isAnyOf('delivery_id', ids, 'bigint')} returning delivery_id as id`);
      const withAttempts = new Set(tried.map(({ id }) => id));
      const discarded = old.filter(({ status }) => status === 'dead');
      const changed = old.filter(({ carries }) => carries === 1).map(({ id }) => id);
      yield* run(sql`
        update deliveries set
          status = case when status = 'dead' then 'skipped' else status end,
          last_error = case when status = 'dead' then ${DISCARDED} end,
          effect_change = null
        where ${dialect.isAnyOf('id', changed, 'bigint')}`);
      yield* parts.moved(discarded, 'skipped');
      const triedOnly = old.filter(({ id, carries }) => carries === 0 && withAttempts.has(id));
      const pruned = { deliveries: changed.length + triedOnly.length, discarded: discarded.length };
      yield* countPruned(pruned);
      return pruned;
    },
    *recordPruning({ lastRunAt, nextRunAt, firstBody = 1 }: PruningRun): Write<void> {
      yield* run(sql`
        update retention set last_run_at = coalesce(${lastRunAt ?? null}, last_run_at),
          next_run_at = ${nextRunAt === undefined ? sql`next_run_at` : nextRunAt}${parts.andFirstBody(firstBody)}`);
    },
  };
}
