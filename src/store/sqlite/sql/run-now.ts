import type { Database, RunResult } from 'better-sqlite3';
import type { Compilable } from 'kysely';

/** Runs a query at once, so that it can be part of a synchronous transaction. */
export function runNow(database: Database, query: Compilable): RunResult {
  const { sql, parameters } = query.compile();
  return database.prepare(sql).run(...parameters);
}

/** The rows of a query, at once. */
export function rowsNow<R>(database: Database, query: Compilable<R>): readonly R[] {
  const { sql, parameters } = query.compile();
  return database.prepare<unknown[], R>(sql).all(...parameters);
}
