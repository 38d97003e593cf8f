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
import { dayPartitions, type DayPartition } from '../events/content-days.ts';
import type { Connection } from '../sql/connection.ts';
import { perform } from '../sql/perform.ts';
import type { Session } from '../sql/session.ts';

export function createPrunableEvents({
  read,
  dialect,
}: Connection): Pick<Retention, 'prunableEvents' | 'firstBody'> {
  return {
    async prunableEvents(request) {
      const { before, after, limit } = request;
      // Day after day: events of an earlier day may have higher numbers.
      const days = await read.rows(sql<DayPartition & { after: number }>`
        select days.*, case when since <= last.at then ${after}::bigint else 0 end as after
        from (${dayPartitions}) as days,
          (select coalesce(max(received_at), 0) as at from events where id = ${after}) as last
        where since < ${before} and until > last.at order by since`);
      const old: OldEvent[] = [];
      for (const day of days) {
        if (old.length === limit) break;
        const left = { before, after: day.after, limit: limit - old.length };
        old.push(...(await oldEvents(read, left, day)));
      }
      const folded = await perform({ session: read }, foldedSubjects(dialect, idleEvents(old)));
      const chosen = chooseEvents(old, folded);
      const pruned = chosenRows(chosen);
      return {
        ...chosen,
        firstKept: old.find(({ id }) => !pruned.has(id))?.id ?? null,
        last: old.at(-1)?.id ?? after,
        next: nextOf(old, request),
      };
    },
    // Which days there are is known: there is nothing to skip.
    firstBody: () => Promise.resolve(1),
  };
}

/** The next old events of a day that have a body. */
export function oldEvents(
  session: Session,
  { before, after, limit }: PruneRequest,
  { since, until }: DayPartition,
): Promise<readonly OldEvent[]> {
  return session.rows(sql<OldEvent>`
    select events.id, events.subject_id, contents.bytes, ${numberOf(isEventWaiting)} as waits,
      ${numberOf(eventIsHeld)} as held
    from (
      select event_id, octet_length(body) + octet_length(headers) as bytes from event_contents
      where event_id > ${after} and received_at >= ${since} and received_at < ${Math.min(before, until)}
      order by event_id limit ${limit}
    ) as contents
    join events on events.id = contents.event_id
    order by events.id`);
}
