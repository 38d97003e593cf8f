import { comparedWith, type ComparedEvent } from '../../event/compared-with.ts';
import type { Queries } from '../queries.ts';
import type { Connection } from './connection.ts';

/** Of all events of a subject only numbers leave: what is shown of them is read page by page. */
export function createSubjectTrail({ database, query }: Connection): Pick<Queries, 'subjectTrail'> {
  return {
    async subjectTrail(subject, source) {
      let all = query
        .selectFrom('subjects')
        .innerJoin('events', 'events.subject_id', 'subjects.id')
        .select(['events.id', 'subjects.source', 'events.verdict', 'events.version'])
        .where('subjects.family', '=', subject.family)
        .where('subjects.entity', '=', subject.id);
      if (source !== undefined) all = all.where('subjects.source', '=', source);
      const { sql: text, parameters } = all.orderBy('events.id').compile();
      const rows = database.prepare<unknown[], ComparedEvent<number>>(text).all(...parameters);
      const befores = comparedWith(rows);
      return {
        events: Float64Array.from(rows, ({ id }) => id),
        comparedWith: Float64Array.from(rows, ({ id }) => befores.get(id) ?? 0),
      };
    },
  };
}
