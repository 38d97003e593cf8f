/** Reads the heads of lanes, which claims start. It takes no locks; the claim looks again. */
import { sql, type RawBuilder } from 'kysely';
import type { ClaimRequest } from '../../lane-queue.ts';
import {
  LAST_DUE,
  newestOf,
  SEARCHED_FOR_SOURCES,
  type HeadsToRead,
  type LaneHead,
} from '../../shared/deliveries/claim-policy.ts';
import { HEAD } from '../../shared/deliveries/head-values.ts';
import { arrayOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { queuedColumns } from './lanes.ts';

/** Heads of lanes, and the number of the last change of the pauses, read in the same statement. */
export interface FoundHeads {
  readonly heads: readonly LaneHead[];
  readonly changes: number;
}

/** The columns of a `LaneHead`. */
export const headColumns = sql`${queuedColumns}, deliveries.cut_short`;

/** Passes over the heads that another transaction is about to start, when heads are read with locks. */
function lockClause(locked: boolean): RawBuilder<unknown> {
  return locked ? sql`for update of deliveries skip locked` : sql``;
}

/** Reads the heads of lanes, earliest due first, with the next ones that are not due yet. */
export async function headsOfHandlers(
  session: Session,
  {
    handlers,
    now,
    most,
    locked,
  }: {
    readonly handlers: readonly string[];
    readonly now: number;
    readonly most: HeadsToRead;
    readonly locked: boolean;
  },
): Promise<FoundHeads> {
  const ofHandler = (due: RawBuilder<boolean>, limit: number) => sql`
    select ${headColumns} from deliveries
    where deliveries.head = ${sql.lit(HEAD)} and deliveries.handler = wanted.handler and ${due}
    order by deliveries.due_at, deliveries.id limit ${limit}`;
  const due = ofHandler(sql`deliveries.due_at <= ${now}`, most.due);
  return foundHeads(
    session,
    sql`
      select heads.* from ${unnestOf('wanted', handlers, { handler: ['text', (handler) => handler] })}
      cross join lateral (
        select * from (${due} ${lockClause(locked)}) as due
        union all (${ofHandler(sql`deliveries.due_at > ${now}`, most.later)})
      ) as heads`,
  );
}

async function foundHeads(session: Session, heads: RawBuilder<unknown>): Promise<FoundHeads> {
  const rows = await session.rows(
    sql<LaneHead & { changes: number }>`
      select pause_changes.changes, heads.* from pause_changes left join (${heads}) as heads on true
      where pause_changes.id = 1`,
  );
  return {
    // No heads are one row without a delivery.
    heads: rows.filter((row) => (row.delivery_id as number | null) !== null),
    changes: rows[0]?.changes ?? 0,
  };
}

/** Returns the delivery that a claim with `untriedFirst` prefers. */
export async function probeOf(
  session: Session,
  handler: string,
  { now, untriedFirst, exceptSources = [] }: ClaimRequest,
): Promise<LaneHead | undefined> {
  const oldest = untriedFirst === 'oldest';
  const direction = oldest ? sql`asc` : sql`desc`;
  const untried = (most: number) => sql<LaneHead>`
    select ${headColumns} from deliveries
    where deliveries.head = ${sql.lit(HEAD)} and deliveries.handler = ${handler} and deliveries.due_at <= ${now}
      and deliveries.attempts = 0
    order by deliveries.due_at ${direction}, deliveries.id ${direction} limit ${most}`;
  if (exceptSources.length > 0) {
    const ofOthers = await session.first(
      sql<LaneHead>`
        select due.* from (${untried(SEARCHED_FOR_SOURCES)}) as due
        join events on events.id = due.event_id
        join subjects on subjects.id = events.subject_id
        where subjects.source <> all(${arrayOf(exceptSources, 'text')})
        order by due.delivery_id ${direction} limit 1`,
    );
    if (ofOthers !== undefined) return ofOthers;
  }
  if (oldest) return session.first(untried(1));
  return newestOf(await session.rows(untried(LAST_DUE)));
}
