/** Lists subjects for operators, and finds those of a company. */
import { companyFamilies } from '../../../event/subject.ts';
import { sql } from 'kysely';
import type { Queries } from '../../queries.ts';
import { sourceSubject, rowsOfSubjects, type SubjectRow } from '../../shared/events/event-conditions.ts';
import type { Connection } from '../sql/connection.ts';

/** Reads subjects for operators. */
export function createSubjectReads({
  query,
  dialect,
  ids,
}: Connection): Pick<Queries, 'subjects' | 'companySubjects'> {
  return {
    // In the order of events, so that a page reads a few of them, however many subjects there are.
    async subjects(filter, { limit, after }) {
      const from = after === undefined ? undefined : ids.eventRow(after);
      if (after !== undefined && from === undefined) return [];
      let page = query
        .selectFrom('events')
        .innerJoin('subjects', 'subjects.id', 'events.subject_id')
        .select([
          'events.id',
          'events.kind',
          'events.received_at',
          'subjects.source',
          'subjects.family',
          'subjects.entity',
        ])
        .select((eb) =>
          eb
            .selectFrom('events as each')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('each.subject_id', '=', 'subjects.id')
            .as('events'),
        )
        .whereRef('subjects.latest_event', '=', 'events.id');
      if (from !== undefined) page = page.where('events.id', '<', from);
      if (filter.family !== undefined) page = page.where('subjects.family', '=', filter.family);
      if (filter.source !== undefined) page = page.where('subjects.source', '=', filter.source);
      if (filter.since !== undefined) page = page.where('events.received_at', '>=', filter.since);
      if (filter.until !== undefined) page = page.where('events.received_at', '<', filter.until);
      if (filter.subjects !== undefined)
        page = page.where(dialect.isFoundBy('subjects.id', rowsOfSubjects(filter.subjects, dialect)));
      const rows = await page.orderBy('events.id', 'desc').limit(limit).execute();
      return rows.map((row) => ({
        id: ids.event(row.id),
        source: row.source,
        subject: { family: row.family, id: row.entity },
        kind: row.kind,
        receivedAt: row.received_at,
        events: row.events ?? 0,
      }));
    },
    async companySubjects(company, newest) {
      const last = await query
        .selectFrom('events')
        .select(({ fn }) => fn.coalesce(fn.max('id'), sql.lit(0)).as('id'))
        .executeTakeFirstOrThrow();
      const floor = Math.max(0, last.id - newest);
      const named = await sql<SubjectRow>`
        -- To look for names in the bytes first would take longer than to parse them.
        with bodies as (select subject_id, cast(body as text) as text from events where id > ${floor}),
        searched as materialized (
          select subject_id,
            coalesce(text ->> '$.data.company.id', text ->> '$.data.charge.company.id') as company,
            text ->> '$.data.traffic_violation.id' as traffic,
            text ->> '$.data.antt_violation.id' as antt
          from bodies where json_valid(text)
        ),
        own as materialized (
          select id from subjects where family in (${sql.join(companyFamilies)}) and entity = ${company}
          union
          select subject_id from searched where cast(company as text) = ${company}
        ),
        slips as (
          select slip.id from searched
          join subjects as slip on slip.id = searched.subject_id
          join subjects as violation on violation.source = slip.source
            and violation.family = iif(traffic is null, 'antt-violation', 'traffic-violation')
            and violation.entity = cast(coalesce(traffic, antt) as text)
          where violation.id in (select id from own)
        )
        select source, family, entity from subjects
        where id in (select id from own union select id from slips)`.execute(query);
      return { subjects: named.rows.map(sourceSubject), partial: floor > 0 };
    },
  };
}
