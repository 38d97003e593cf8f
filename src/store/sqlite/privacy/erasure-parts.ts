/** The tables that an erasure searches, and what it does in SQLite's own way. */
import { sql } from 'kysely';
import { contentTables, type ContentTables } from '../../shared/privacy/content-tables.ts';
import type { ErasureParts } from '../../shared/privacy/erased-marks.ts';
import { nothingToDo } from '../sql/dialect.ts';
import type { Keyed } from './keyed-digest.ts';

/** Where the content is: a place is a table. */
export const sqliteContents: ContentTables = {
  tables: contentTables,
  tableOf: (place) => contentTables[place].from.split(' ')[0] ?? '',
  // oxlint-disable-next-line require-yield -- the number says it
  *isRow(place, _table, row) {
    return sql`${sql.ref(contentTables[place].key)} = ${row}`;
  },
};

/** One transaction at a time writes, so there is nothing to lock. */
export function createErasureParts(keyed: Keyed): ErasureParts {
  return {
    ...sqliteContents,
    requireLock: nothingToDo,
    // oxlint-disable-next-line require-yield -- the key is read at once
    *keyed() {
      return keyed;
    },
    // They are a generated column.
    storePhases: nothingToDo,
  };
}
