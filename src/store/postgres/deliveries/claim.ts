/**
 * Claims deliveries that are due, beside other processes that claim, too.
 *
 * It takes no lock of a lane and skips rows that others have locked, so it waits for nobody. Which heads are chosen is
 * decided in shared/deliveries/claim-policy.ts, which may change freely. Whether a run still is this process's is asked
 * in the statement that starts it (`leases`), never before it.
 */
import { sql } from 'kysely';
import type { ClaimRequest, SupersededDeliveries } from '../../lane-queue.ts';
import {
  choose,
  claimOrder,
  headsToRead,
  NOTHING_PARKED,
  parkedMore,
  type HeadsToRead,
  type LaneHead,
} from '../../shared/deliveries/claim-policy.ts';
import { HEAD } from '../../shared/deliveries/head-values.ts';
import { beginLatestClaim, type LatestClaim } from '../../shared/deliveries/latest-policy.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { headsOfHandlers, probeOf, type FoundHeads } from './lane-heads.ts';
import { settleLanes } from './latest.ts';
import { startedBy, startedColumns, withStarts, type Started } from './lanes.ts';
import type { PausedHeads } from './paused-heads.ts';
import type { StartedRow } from './read-claimed.ts';

/** The rows of a `Claim`. */
export interface ClaimedRows {
  /** The deliveries to run now, and the prefetched ones. */
  readonly deliveries: readonly StartedRow[];
  readonly prefetched: readonly StartedRow[];
  readonly nextDueAt: number | null;
  readonly superseded: readonly SupersededDeliveries[];
  /** Whether heads are left that are paused, or not the newest of their lanes, or the pauses have changed: another claim goes on. */
  readonly more: boolean;
  /** Whether the pauses have changed since they were read. */
  readonly changed: boolean;
}

/**
 * Claims the heads of lanes that are due: those that shared/deliveries/claim-policy.ts chooses.
 *
 * The first try reads heads without locks, and starts those that no other process has started meanwhile. If it loses
 * some to another process, a second try reads heads with locks, and skips those that other transactions have locked.
 */
export async function claim(
  transaction: Transaction,
  given: ClaimRequest,
  { ids, ...options }: Pick<ClaimOptions, 'holder' | 'paused'> & { readonly ids: Pick<Ids, 'event'> },
): Promise<ClaimedRows> {
  const request = { ...given, handlers: options.paused.admitted(given.handlers, given.now) };
  const latest = beginLatestClaim(given, ids);
  const first = await claimFrom(transaction, request, { ...options, latest, locked: false });
  if (first.lost === 0) return first;
  const left = {
    ...request,
    limit: request.limit - first.deliveries.length,
    prefetch: (request.prefetch ?? 0) - first.prefetched.length,
  };
  const second = await claimFrom(transaction, left, { ...options, latest, locked: true });
  return {
    ...second,
    deliveries: [...first.deliveries, ...second.deliveries],
    prefetched: [...first.prefetched, ...second.prefetched],
  };
}

interface ClaimOptions {
  readonly holder: number;
  readonly paused: PausedHeads;
  readonly latest: LatestClaim;
  /** Whether the heads are locked when they are read, and those that others have locked are passed over. */
  readonly locked: boolean;
}

async function claimFrom(
  transaction: Transaction,
  request: ClaimRequest,
  { holder, paused, latest, locked }: ClaimOptions,
): Promise<ClaimedRows & { readonly lost: number }> {
  const { session, counts } = transaction;
  const { now } = request;
  const { heads, more, changed, passedOver } = await openHeads(session, request, paused, locked);
  const choice = choose(heads, request);
  await settleLanes(transaction, choice, now, latest);
  const { running, prefetched, nextDueAt, ...ended } = latest.end(choice);
  const chosen = [...running, ...prefetched];
  const started = await startHeads(session, chosen, { holder, countedUpTo: running.length });
  for (const { handler, replay_id: replayId } of started)
    counts.deliveryMoved({ handler, replayId }, 'pending', 'running');
  const runningIds = new Set(running.map(({ delivery_id: id }) => id));
  const rows = started.map((head): StartedRow => ({ ...head, holder }));
  return {
    deliveries: rows.filter(({ delivery_id: id }) => runningIds.has(id)),
    prefetched: rows.filter(({ delivery_id: id }) => !runningIds.has(id)),
    // Null would say that nothing waits: what another transaction has locked may be pending when it ends.
    nextDueAt: nextDueAt ?? (passedOver ? now : null),
    superseded: ended.superseded,
    more: more || ended.more,
    changed,
    lost: chosen.length - started.length,
  };
}

/**
 * Marks heads running, and returns those that still were as they had been read: another process may be faster.
 *
 * Each is looked up by its number. `head + 0` keeps the planner from the index of due heads, which it would join with
 * the list: all heads with all wanted ones.
 *
 * @param options.countedUpTo the number of the first ones that count their attempts now. The others are prefetched:
 *   their attempts count with their outcomes.
 */
async function startHeads(
  session: Session,
  heads: readonly LaneHead[],
  { holder, countedUpTo }: { readonly holder: number; readonly countedUpTo: number },
): Promise<readonly (LaneHead & Started)[]> {
  if (heads.length === 0) return [];
  const started = await session.rows(
    sql<Started & { id: number }>`
      with chosen as materialized (
        select found.id, wanted.counted
        from ${unnestOf('wanted', heads, {
          id: ['bigint', ({ delivery_id: id }) => id],
          attempts: ['integer', ({ attempt }) => attempt - 1],
          counted: ['smallint', (_, index) => (index < countedUpTo ? 1 : 0)],
        })}
        cross join lateral (
          select id from deliveries
          where id = wanted.id and attempts = wanted.attempts and head + 0 = ${sql.lit(HEAD)}
          limit 1 for update skip locked
        ) as found
        where exists (select from leases where holder = ${holder})
      )
      update deliveries set ${startedBy(holder, sql`chosen.counted`)}
      from chosen where deliveries.id = chosen.id
      returning ${startedColumns}`,
  );
  return withStarts(heads, started);
}

/** The heads that a claim may start. */
interface OpenHeads extends Pick<ClaimedRows, 'more' | 'changed'> {
  readonly heads: readonly LaneHead[];
  /** Whether due heads may have been left out because another transaction has locked them. */
  readonly passedOver: boolean;
}

const CHANGED: OpenHeads = { heads: [], more: true, changed: true, passedOver: false };

/** Parks paused heads until none is left, or until one claim has parked its maximum. */
async function openHeads(
  session: Session,
  request: ClaimRequest,
  paused: PausedHeads,
  locked: boolean,
): Promise<OpenHeads> {
  // Set once heads could not be parked, because another transaction has locked them.
  let skipLocked = locked;
  for (let parking = NOTHING_PARKED; ;) {
    const { heads, changes } = await readHeads(session, request, headsToRead(request, parking), skipLocked);
    if (changes !== paused.changes()) return CHANGED;
    const pausedIds = await paused.knownPausedOf(session, heads, request.now);
    if (pausedIds.size === 0) return { heads, more: false, changed: false, passedOver: skipLocked };
    const parked = await paused.park(session, [...pausedIds]);
    if (parked === null) return CHANGED;
    parking = parkedMore(parking, parked);
    // Probes and heads that are due later are read without a lock, so locked ones come back in each round.
    if (parking.isFull || (parked === 0 && skipLocked))
      return {
        heads: heads.filter(({ delivery_id: id }) => !pausedIds.has(id)),
        more: parking.isFull,
        changed: false,
        passedOver: skipLocked,
      };
    skipLocked ||= parked < pausedIds.size;
  }
}

/** Each handler is queried separately: the backlog of a paused handler costs nothing. */
async function readHeads(
  session: Session,
  request: ClaimRequest,
  most: HeadsToRead,
  locked: boolean,
): Promise<FoundHeads> {
  const { handlers, now } = request;
  const found = await headsOfHandlers(session, { handlers, now, most, locked });
  const byHandler = Map.groupBy(found.heads, ({ handler }) => handler);
  const lists = [];
  for (const handler of handlers) {
    const probe = request.untriedFirst === undefined ? undefined : await probeOf(session, handler, request);
    lists.push({ heads: byHandler.get(handler) ?? [], probe });
  }
  return { heads: claimOrder(lists), changes: found.changes };
}
