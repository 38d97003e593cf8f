import type { Database, Statement } from 'better-sqlite3';
import type { SqliteDatabase } from 'kysely';

/** Statements that stay prepared; those used longest ago go first. Lists make a new one for each number of ids. */
const MAX_STATEMENTS = 500;

/**
 * The database as Kysely sees it. Kysely prepares a statement each time that it
 * runs one, which costs more than most of them do.
 *
 * Nothing may read from a statement row by row while it runs again, so results
 * are not streamed.
 */
export function withCachedStatements(database: Database): SqliteDatabase {
  const statements = new Map<string, Statement>();
  return {
    prepare(sql) {
      const statement = statements.get(sql) ?? database.prepare(sql);
      // A map keeps the order of insertion, so the last one used is the last.
      statements.delete(sql);
      statements.set(sql, statement);
      const [oldest] = statements.keys();
      if (statements.size > MAX_STATEMENTS && oldest !== undefined) statements.delete(oldest);
      return statement;
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}
