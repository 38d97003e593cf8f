import type { Kysely } from 'kysely';
import type { Subject } from '../../../event/subject.ts';
import type { DatabaseSchema } from '../file/database-schema.ts';

/** The number of a source's subject, as a part of a query. */
export function subjectRow(query: Kysely<DatabaseSchema>, source: string, subject: Subject) {
  return query
    .selectFrom('subjects')
    .select('id')
    .where('family', '=', subject.family)
    .where('entity', '=', subject.id)
    .where('source', '=', source);
}
