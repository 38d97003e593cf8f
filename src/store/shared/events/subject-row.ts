/** The row of a subject, as a part of statements. */
import { sql, type RawBuilder } from 'kysely';
import type { Subject } from '../../../event/subject.ts';

/** The statement that selects the row number of a subject. */
export function subjectRow(source: string, { family, id }: Subject): RawBuilder<{ id: number }> {
  return sql<{ id: number }>`
    select id from subjects where family = ${family} and entity = ${id} and source = ${source}`;
}
