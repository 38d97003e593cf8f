/** Finds events that retention may prune, whose bodies stand in the table of events. */
import { sql } from 'kysely';
import type { Retention } from '../../retention.ts';
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

interface EventRow extends OldEvent {
  readonly has_body: number;
  readonly is_old: number;
}

export function createPrunableEvents(
  connection: Connection,
): Pick<Retention, 'prunableEvents' | 'firstBody'> {
  const { read, dialect } = connection;
  return {
    async prunableEvents(request) {
      const isOld = sql`events.received_at < ${request.before}`;
      const hasBody = sql`events.body is not null`;
      const isOldBody = sql`${hasBody} and ${isOld}`;
      const found = await read.rows(sql<EventRow>`
        select id, subject_id, ${numberOf(hasBody)} as has_body, ${numberOf(isOld)} as is_old,
          ${numberOf(sql`${isOldBody} and ${isEventWaiting}`)} as waits,
          ${numberOf(sql`${isOldBody} and ${eventIsHeld}`)} as held,
          coalesce(length(body), 0) + octet_length(headers) as bytes
        from events where id > ${request.after} order by id limit ${request.limit}`);
      const old = found.filter((row) => row.has_body === 1 && row.is_old === 1);
      const chosen = chooseEvents(old, perform(connection, foldedSubjects(dialect, idleEvents(old))));
      const pruned = chosenRows(chosen);
      return {
        ...chosen,
        firstKept: found.find((row) => row.has_body === 1 && !pruned.has(row.id))?.id ?? null,
        last: found.at(-1)?.id ?? request.after,
        next: nextOf(found, request),
      };
    },
    async firstBody() {
      const row = await read.first(
        sql<{ first: number }>`select first_body as first from retention where id = 1`,
      );
      return row?.first ?? 1;
    },
  };
}
