/** The tables that hold content, for the places that an erasure searches: a place is a table. */
import { sql } from 'kysely';
import { contentTables, type ContentTables } from '../../shared/privacy/content-tables.ts';

export const sqliteContents: ContentTables = {
  tables: contentTables,
  tableOf: (place) => contentTables[place].from.split(' ')[0] ?? '',
  isRow: (place, _table, row) => sql`${sql.ref(contentTables[place].key)} = ${row}`,
};
