/** Finds events that retention may prune, whose bodies stand in partitions of days. */
import { sql } from 'kysely';
import type { PruneRequest, Retention } from '../../retention.ts';
import { eventIsHeld } from '../../shared/privacy/hold-conditions.ts';
import { foldedSubjects } from '../../shared/retention/folding-machines.ts';
import { numberOf } from '../../shared/sql/dialect.ts';
import {
  isEventWaiting,
  chooseEvents,
  chosenRows,
  idleEvents,
  nextOf,
  type OldEvent,
} from '../../shared/retention/prune-pages.ts';
import type { Connection } from '../sql/connection.ts';
import { perform } from '../sql/perform.ts';
import type { Session } from '../sql/session.ts';

export function createPrunableEvents({
  read,
  dialect,
}: Connection): Pick<Retention, 'prunableEvents' | 'firstBody'> {
  return {
    async prunableEvents(request) {
      const old = await oldEvents(read, request);
      const folded = await perform({ session: read }, foldedSubjects(dialect, idleEvents(old)));
      const chosen = chooseEvents(old, folded);
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
    select events.id, events.subject_id, contents.bytes, ${numberOf(isEventWaiting)} as waits,
      ${numberOf(eventIsHeld)} as held
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
