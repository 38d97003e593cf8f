import { sql } from 'kysely';
import type { ClaimRequest } from '../../lane-queue.ts';
import { chosenOf, interleaved, type LaneHead } from '../../rows/deliveries/claim-choice.ts';
import { HEAD, NO_HEAD, PARKED_AT_ONCE } from '../../rows/deliveries/lane-heads.ts';
import { rowOf } from '../../rows/ids.ts';
import type { Transaction } from '../database/connections/write.ts';
import { arrayOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { headsOfHandlers, headsOfReplay, probeOf } from './lane-heads.ts';
import { receivedColumn, type Received } from './lanes.ts';
import type { PausedHeads } from './paused-heads.ts';
import type { HeldRow } from './read-claimed.ts';

/** The rows of a `Claim`. */
export interface StartedDeliveries {
  /** The deliveries to run now, and the prefetched ones. */
  readonly deliveries: readonly HeldRow[];
  readonly prefetched: readonly HeldRow[];
  readonly nextDueAt: number | null;
  /** Whether paused heads are left to look at, or the pauses have changed: another claim goes on. */
  readonly more: boolean;
  /** Whether the pauses have changed since they were read. */
  readonly changed: boolean;
}

/**
 * Claims the heads of lanes that are due. Handlers alternate, so that the backlog of a slow one does not hold up the
 * others. Within a handler the head that has been due longest comes first. Each handler is queried separately: the
 * backlog of a paused handler costs nothing.
 *
 * Heads are read without locks, chosen, and started if no other process was faster. When another one was, the heads
 * are read again, past those that others are about to start.
 */
export async function claim(
  transaction: Transaction,
  given: ClaimRequest,
  { holder, paused }: { readonly holder: number; readonly paused: PausedHeads },
): Promise<StartedDeliveries> {
  const request = { ...given, handlers: paused.admitted(given.handlers, given.now) };
  const first = await claimFrom(transaction, request, { holder, paused, locked: false });
  if (first.lost === 0) return first;
  const left = {
    ...request,
    limit: request.limit - first.deliveries.length,
    prefetch: (request.prefetch ?? 0) - first.prefetched.length,
  };
  const second = await claimFrom(transaction, left, { holder, paused, locked: true });
  return {
    ...second,
    deliveries: [...first.deliveries, ...second.deliveries],
    prefetched: [...first.prefetched, ...second.prefetched],
  };
}

interface ClaimOptions {
  readonly holder: number;
  readonly paused: PausedHeads;
  /** Whether the heads are locked when they are read, and those that others have locked are passed over. */
  readonly locked: boolean;
}

async function claimFrom(
  transaction: Transaction,
  request: ClaimRequest,
  { holder, paused, locked }: ClaimOptions,
): Promise<StartedDeliveries & { readonly lost: number }> {
  const { session, counts } = transaction;
  const { candidates, more, changed } = await openCandidates(session, request, paused, locked);
  const chosen = chosenOf(candidates, request);
  const now = new Set(chosen.slice(0, request.limit).map(({ delivery_id: id }) => id));
  const started = await startHeads(session, chosen, { holder, countedUpTo: request.limit });
  for (const { handler, replay_id: replayId } of started)
    counts.deliveryMoved({ handler, replayId }, 'pending', 'running');
  const taken = new Set(chosen);
  const left = candidates.filter((head) => !taken.has(head)).map((head) => head.due_at);
  const held = started.map((head): HeldRow => ({ ...head, holder }));
  return {
    deliveries: held.filter(({ delivery_id: id }) => now.has(id)),
    prefetched: held.filter(({ delivery_id: id }) => !now.has(id)),
    nextDueAt: left.length === 0 ? null : Math.min(...left),
    more,
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
): Promise<readonly (LaneHead & Received)[]> {
  if (heads.length === 0) return [];
  const started = await session.rows(
    sql<Received & { id: number }>`
      with chosen as materialized (
        select found.id, wanted.counted
        from unnest(
          ${arrayOf(
            heads.map(({ delivery_id: id }) => id),
            'bigint',
          )},
          ${arrayOf(
            heads.map(({ attempt }) => attempt - 1),
            'integer',
          )},
          ${arrayOf(
            heads.map((_, index) => (index < countedUpTo ? 1 : 0)),
            'smallint',
          )}
        ) as wanted (id, attempts, counted)
        cross join lateral (
          select id from deliveries
          where id = wanted.id and attempts = wanted.attempts and head + 0 = ${sql.lit(HEAD)}
          limit 1 for update skip locked
        ) as found
        where exists (select from leases where holder = ${holder})
      )
      update deliveries set
        status = 'running', head = ${sql.lit(NO_HEAD)}, attempts = attempts + chosen.counted, due_at = null, asked_at = null,
        holder = ${holder}
      from chosen where deliveries.id = chosen.id
      returning deliveries.id, ${receivedColumn}`,
  );
  const times = new Map(started.map(({ id, received_at: at }) => [id, at]));
  return heads.flatMap((head) => {
    const at = times.get(head.delivery_id);
    return at === undefined ? [] : [{ ...head, received_at: at }];
  });
}

/** Parks paused heads until the candidates are free of them, or until that was enough for one claim. */
async function openCandidates(
  session: Session,
  request: ClaimRequest,
  paused: PausedHeads,
  locked: boolean,
): Promise<{ readonly candidates: readonly LaneHead[]; readonly more: boolean; readonly changed: boolean }> {
  let least = 0;
  for (let parked = 0; ;) {
    const found = await candidatesFor(session, request, { least, locked });
    if (found.changes !== paused.changes()) return { candidates: [], more: true, changed: true };
    const { candidates } = found;
    const held = await paused.knownPausedOf(session, candidates, request.now);
    if (held.size === 0) return { candidates, more: false, changed: false };
    if (!(await paused.park(session, [...held]))) return { candidates: [], more: true, changed: true };
    // Where many are paused, more are: a small claim would take them out of the way in small steps.
    least = Math.min(PARKED_AT_ONCE, 4 * Math.max(least, held.size));
    parked += held.size;
    if (parked >= PARKED_AT_ONCE)
      return {
        candidates: candidates.filter(({ delivery_id: id }) => !held.has(id)),
        more: true,
        changed: false,
      };
  }
}

/**
 * Reads one head more per handler than can be claimed: it tells when to claim again.
 *
 * @param options.least reads so many at least
 */
async function candidatesFor(
  session: Session,
  request: ClaimRequest,
  { least, locked }: { readonly least: number; readonly locked: boolean },
): Promise<{ readonly candidates: readonly LaneHead[]; readonly changes: number }> {
  const most = Math.max(least, request.limit + (request.prefetch ?? 0) + 1);
  const { handlers, now } = request;
  if (request.replay !== undefined) {
    const replay = rowOf('r', request.replay) ?? 0;
    const { heads, changes } = await headsOfReplay(session, { replay, handlers, now, most, locked });
    const candidates = heads.toSorted(
      (one, other) => one.due_at - other.due_at || one.delivery_id - other.delivery_id,
    );
    return { candidates, changes };
  }
  const { heads, changes } = await headsOfHandlers(session, { handlers, most, locked });
  const lists = handlers.map((handler) => heads.filter((head) => head.handler === handler));
  if (request.untriedFirst !== undefined)
    for (const [index, handler] of handlers.entries()) {
      const untried = await probeOf(session, handler, request);
      if (untried === undefined) continue;
      const others = (lists[index] ?? []).filter((head) => head.delivery_id !== untried.delivery_id);
      lists[index] = [untried, ...others];
    }
  return { candidates: interleaved(lists), changes };
}
