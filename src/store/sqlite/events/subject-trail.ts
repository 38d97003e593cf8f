import { sql, type SqlBool } from 'kysely';
import { predecessorsOf, type ComparedEvent } from '../../../event/predecessors.ts';
import type { Queries } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';

/** Of all events of a subject only numbers leave: what is shown of them is read page by page. */
export function createSubjectTrail({ database, query }: Connection): Pick<Queries, 'subjectTrail'> {
  return {
    async subjectTrail(subject, source) {
      let logged = query
        .selectFrom('subjects')
        .innerJoin('events', 'events.subject_id', 'subjects.id')
        .select(['events.id', 'subjects.source'])
        .where('subjects.family', '=', subject.family)
        .where('subjects.entity', '=', subject.id)
        .orderBy('events.id')
        .limit(sql.lit(-1));
      if (source !== undefined) logged = logged.where('subjects.source', '=', source);
      // Looked up in the order of the table, as in version-order.ts.
      const { sql: text, parameters } = query
        .selectFrom(logged.as('logged'))
        .innerJoin('events', (join) => join.on(sql<SqlBool>`events.id = +logged.id`))
        .select(['events.id', 'logged.source', 'events.verdict', 'events.version'])
        .compile();
      const rows = database
        .prepare<unknown[], ComparedEvent<number>>(text)
        .all(...parameters)
        .sort((one, other) => one.id - other.id);
      const befores = predecessorsOf(rows);
      return {
        events: Float64Array.from(rows, ({ id }) => id),
        predecessorsOf: Float64Array.from(rows, ({ id }) => befores.get(id) ?? 0),
      };
    },
  };
}
