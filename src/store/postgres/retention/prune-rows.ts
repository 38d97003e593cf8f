/** Prunes entries of the quarantine and deliveries. */
import { sql } from 'kysely';
import { deliveryIsHeld, entryIsHeld } from '../../shared/privacy/hold-conditions.ts';
import { carriesContent, DISCARDED, lastCameAt } from '../../shared/retention/prune-conditions.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { forgetFailures } from '../failures/failure-changes.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import { removeContents } from './content-lock.ts';
import { countPruned } from './count-pruned.ts';

/** Removes entries of the quarantine. One that came again meanwhile stays. Returns how many it removed. */
export async function pruneQuarantine(
  { session }: Transaction,
  rows: readonly number[],
  before: number,
): Promise<number> {
  await removeContents(session);
  const removed = await session.rows(sql<{ verified: number; reason: string; status: string; bytes: number }>`
    delete from quarantine
    where ${isAnyOf('id', rows, 'bigint')} and ${lastCameAt} < ${before} and not ${entryIsHeld}
    returning verified, reason, status, bytes`);
  // The trigger has counted held entries as dropped by the quota.
  const held = removed.filter(({ status }) => status === 'held');
  await session.run(sql`
    insert into quarantine_counts (verified, reason, dropped, dropped_bytes)
    select verified, reason, -count(*), -sum(bytes)
    from ${unnestOf('removed', held, {
      verified: ['smallint', ({ verified }) => verified],
      reason: ['text', ({ reason }) => reason],
      bytes: ['bigint', ({ bytes }) => bytes],
    })}
    group by verified, reason`);
  await countPruned(session, { quarantine: removed.length });
  return removed.length;
}

/**
 * Removes errors, changes and failed attempts of finished deliveries, and discards dead letters. The rows are locked
 * first: a dead letter that another process retries meanwhile is finished no longer, and keeps what it has.
 */
export async function pruneDeliveries(
  { session, counts }: Transaction,
  rows: readonly number[],
  before: number,
): Promise<{ readonly deliveries: number; readonly discarded: number }> {
  await removeContents(session);
  const old = await session.rows(sql<OldDelivery>`
    select id, handler, replay_id as "replayId", status, ${carriesContent} as "carriesContent" from deliveries
    where ${isAnyOf('id', rows, 'bigint')} and finished_at < ${before} and not ${deliveryIsHeld}
    order by id for no key update`);
  const ids = old.map(({ id }) => id);
  const tried = await session.rows(sql<{ id: number }>`
    with removed as (
      delete from attempts where ${isAnyOf('delivery_id', ids, 'bigint')} returning delivery_id
    )
    select distinct delivery_id as id from removed`);
  const withAttempts = new Set(tried.map(({ id }) => id));
  const discarded = old.filter(({ status }) => status === 'dead');
  const emptied = old.filter((row) => row.status !== 'dead' && row.carriesContent);
  const changed = [...discarded, ...emptied].map(({ id }) => id);
  await session.run(sql`
    update deliveries set
      status = case when status = 'dead' then 'skipped' else status end,
      last_error = case when status = 'dead' then ${DISCARDED} end,
      effect_change = null
    where ${isAnyOf('id', changed, 'bigint')}`);
  for (const delivery of discarded) counts.deliveryMoved(delivery, 'dead', 'skipped');
  await forgetFailures(
    session,
    discarded.map(({ id }) => id),
  );
  const triedOnly = old.filter((row) => !row.carriesContent && withAttempts.has(row.id));
  const deliveries = discarded.length + emptied.length + triedOnly.length;
  await countPruned(session, { deliveries, discarded: discarded.length });
  return { deliveries, discarded: discarded.length };
}

interface OldDelivery {
  readonly id: number;
  readonly handler: string;
  readonly replayId: number;
  readonly status: string;
  readonly carriesContent: boolean;
}
