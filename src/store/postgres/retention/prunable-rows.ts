/** Finds rows that retention may prune. */
import { sql } from 'kysely';
import type { PruneRequest, Retention } from '../../retention.ts';
import { deliveryIsHeld, entryIsHeld, eventIsHeld } from '../../shared/privacy/hold-conditions.ts';
import { carriesContent, isEventWaiting, lastCameAt } from '../../shared/retention/prune-conditions.ts';
import {
  chooseEvents,
  chosenRows,
  idleEvents,
  namedSubjects,
  nextOf,
  pageOf,
  type FoldedSubjects,
  type OldEvent,
  type PrunableRow,
} from '../../shared/retention/prune-pages.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { foldingMachines, waitingSubjects } from './folding-machines.ts';

type PrunableReads = Pick<
  Retention,
  'prunableEvents' | 'prunableQuarantine' | 'prunableDeliveries' | 'firstBody'
>;

/** Finds rows to prune by walking a table in steps. What it finds is asked again when it is pruned. */
export function createPrunableReads({ read }: Connection): PrunableReads {
  return {
    async prunableEvents(request) {
      const old = await oldEvents(read, request);
      const chosen = chooseEvents(old, await foldedSubjects(read, idleEvents(old)));
      const pruned = chosenRows(chosen);
      const next = nextOf(old, request);
      const kept = old.find(({ id }) => !pruned.has(id))?.id ?? null;
      const last = old.at(-1)?.id ?? request.after;
      return {
        ...chosen,
        firstKept: kept ?? (next === null ? await firstYoung(read, request) : null),
        last,
        next,
      };
    },

    async prunableQuarantine(request) {
      const isOld = sql`(${lastCameAt} < ${request.before})`;
      const rows = await read.rows(sql<PrunableRow>`
        select id, bytes, (${isOld} and not ${entryIsHeld})::integer as prunable,
          (${isOld} and ${entryIsHeld})::integer as held
        from quarantine where id > ${request.after} order by id limit ${request.limit}`);
      return pageOf(rows, rows, request);
    },

    async prunableDeliveries(request) {
      const isOld = sql`(finished_at is not null and finished_at < ${request.before} and ${carriesContent})`;
      const rows = await read.rows(sql<PrunableRow>`
        select id, coalesce(octet_length(last_error), 0) + coalesce(octet_length(effect_change), 0) as bytes,
          (${isOld} and not ${deliveryIsHeld})::integer as prunable,
          (${isOld} and ${deliveryIsHeld})::integer as held
        from deliveries where id > ${request.after} order by id limit ${request.limit}`);
      return pageOf([...rows, ...(await withAttemptsOnly(read, rows, request))], rows, request);
    },

    // The table knows: an event that another process commits late may have a lower number than pruned ones.
    async firstBody() {
      const row = await read.first(
        sql<{ first: number | null }>`select min(event_id) as first from event_contents`,
      );
      return row?.first ?? 1;
    },
  };
}

/** The next old events that have a body. Days that are younger, or older than `since`, are not looked at. */
export function oldEvents(
  session: Session,
  { before, after, limit }: PruneRequest,
  { since }: { readonly since?: number } = {},
): Promise<readonly OldEvent[]> {
  return session.rows(sql<OldEvent>`
    select events.id, events.subject_id, contents.bytes, ${isEventWaiting}::integer as waits,
      ${eventIsHeld}::integer as held
    from (
      select event_id, octet_length(body) + octet_length(headers) as bytes from event_contents
      where event_id > ${after} and received_at < ${before}
        and ${since === undefined ? sql`true` : sql`received_at >= ${since}`}
      order by event_id limit ${limit}
    ) as contents
    join events on events.id = contents.event_id
    order by events.id`);
}

async function firstYoung(session: Session, { before, after }: PruneRequest): Promise<number | null> {
  const row = await session.first(sql<{ first: number | null }>`
    select min(event_id) as first from event_contents where event_id > ${after} and received_at >= ${before}`);
  return row?.first ?? null;
}

/** Returns the machines with a state of each subject, the names of these subjects, and which of them wait. */
async function foldedSubjects(session: Session, rows: readonly OldEvent[]): Promise<FoldedSubjects> {
  const folded = await foldingMachines(session, [...new Set(rows.map((row) => row.subject_id))]);
  const known = [...folded.keys()];
  const named = await session.rows(sql<{ id: number; source: string; family: string; entity: string }>`
    select id, source, family, entity from subjects where ${isAnyOf('id', known, 'bigint')}`);
  return { folded, subjects: namedSubjects(named), busy: await waitingSubjects(session, known) };
}

/** Old deliveries of a page that carry failed attempts and nothing else. Few have any, so they are looked up. */
async function withAttemptsOnly(
  session: Session,
  page: readonly PrunableRow[],
  { before, after }: PruneRequest,
): Promise<readonly PrunableRow[]> {
  const last = page.at(-1)?.id;
  if (last === undefined) return [];
  return session.rows(sql<PrunableRow>`
    select deliveries.id, carried.bytes, (not ${deliveryIsHeld})::integer as prunable,
      ${deliveryIsHeld}::integer as held
    from (
      select delivery_id, sum(coalesce(octet_length(error), 0)) as bytes from attempts
      where delivery_id > ${after} and delivery_id <= ${last} group by delivery_id
    ) as carried
    join deliveries on deliveries.id = carried.delivery_id
    where finished_at < ${before} and not ${carriesContent}`);
}
