import type { Kysely } from 'kysely';
import type { Subject } from '../../../event/subject.ts';
import type { PostgresSchema } from '../database/tables/postgres-schema.ts';

/** The row number of a subject, as a part of a query. */
export function subjectRow(query: Kysely<PostgresSchema>, source: string, subject: Subject) {
  return query
    .selectFrom('subjects')
    .select('id')
    .where('family', '=', subject.family)
    .where('entity', '=', subject.id)
    .where('source', '=', source);
}
