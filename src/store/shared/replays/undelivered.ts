/** Finds events that a handler never got, although it had got such events before. */
import { sql } from 'kysely';
import type { Replays } from '../../replays.ts';
import type { SharedConnection } from '../sql/connection.ts';

interface UndeliveredRow {
  readonly handler: string;
  readonly kind: string;
  readonly recognized: number;
  readonly source: string;
  readonly events: number;
  readonly since: number;
  readonly last: number;
}

export function createUndeliveredReads({ read, dialect }: SharedConnection): Pick<Replays, 'undelivered'> {
  return {
    async undelivered(handlers, newest) {
      const log = await read.first(sql<{ last: number | null }>`select max(id) as last from events`);
      // A number, so that both databases read a range of each table.
      const after = Math.max(0, (log?.last ?? 0) - newest);
      const rows = await read.rows(
        sql<UndeliveredRow>`
          with page as materialized (
            select events.id, events.kind, events.recognized, events.received_at, events.flags,
              (select source from subjects where subjects.id = events.subject_id) as source
            from events where events.id > ${after} and not ${dialect.isPruned}
          ), begun as materialized (
            select deliveries.handler, page.kind, page.recognized, page.source, min(page.id) as first
            from deliveries join page on page.id = deliveries.event_id
            -- A replay may have reached far back.
            where deliveries.event_id > ${after} and deliveries.replay_id = 0
              and ${dialect.isAnyOf('deliveries.handler', handlers, 'text')}
            group by deliveries.handler, page.kind, page.recognized, page.source
          )
          select begun.handler, begun.kind, begun.recognized, begun.source, count(*) as events,
            min(page.received_at) as since, max(page.received_at) as last
          from begun
          join page on page.kind = begun.kind and page.recognized = begun.recognized and page.source = begun.source
            and page.id > begun.first
          where not ${dialect.contains('page.flags', '"no-handlers"')} and not exists (
            select 1 from deliveries
            where deliveries.event_id = page.id and deliveries.handler = begun.handler and deliveries.event_id > ${after})
          group by begun.handler, begun.kind, begun.recognized, begun.source
          order by begun.handler, begun.kind, begun.source`,
      );
      return rows.map(({ recognized, ...row }) => ({ ...row, recognized: recognized === 1 }));
    },
  };
}
