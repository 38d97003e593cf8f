/** Prepares each SQL statement of the provider once. */
import type { Database } from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Number of statements that stay prepared: those of all endpoints, and many combinations of filters. */
const MAX_STATEMENTS = 500;

/**
 * Wraps a database so that it prepares each statement once: preparing the statements of a list takes as long as
 * running them. Beyond `max` statements the one that has not been used for the longest time is dropped.
 *
 * @param max number of statements to keep
 */
export function keepPrepared(database: Database, max = MAX_STATEMENTS): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const statement = statements.get(sql) ?? database.prepare(sql);
      // A map keeps the order of insertion: the first entry is the one unused for the longest time.
      statements.delete(sql);
      statements.set(sql, statement);
      const [oldest] = statements.keys();
      if (statements.size > max && oldest !== undefined) statements.delete(oldest);
      return statement;
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}
