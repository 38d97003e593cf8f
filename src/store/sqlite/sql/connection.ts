/** The connection to the file, with what builds and reads queries on it. */
import type { Database, Statement } from 'better-sqlite3';
import { Kysely, SqliteDialect, type RawBuilder } from 'kysely';
import type { DataOf } from '../../../event/stored-event.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { SharedConnection } from '../../shared/sql/connection.ts';
import type { SqlReads } from '../../shared/sql/statements.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import { createIds, type FormerStoreId } from '../../shared/ids.ts';
import { sqliteDialect } from './dialect.ts';
import { rowsNow } from './statement.ts';

/** Statements that stay prepared: those that are read again and again have few texts. */
const MAX_PREPARED = 100;

/** An open store, as the operations on it use it. */
export interface Connection extends SharedConnection {
  readonly database: Database;
  /** Builds queries, and runs those that are not on the hot path. */
  readonly query: Kysely<DatabaseSchema>;
  /** Reads the payload of a stored body, by its source; the member `data` when undefined. */
  readonly dataOf?: DataOf | undefined;
}

export function createConnection(
  database: Database,
  storeId: string,
  clock: Clock,
  dataOf?: DataOf,
): Connection {
  const query = createQueryBuilder(database);
  const read = createSqlReads(database, query);
  const ids = createIds(storeId, formerStoreIds(database, query));
  return {
    ...{ database, query, read, ids, clock, dataOf },
    readAtOnce: (work) => work(read),
    dialect: sqliteDialect,
  };
}

export function createSqlReads(database: Database, query: Kysely<DatabaseSchema>): SqlReads {
  const prepared = new Map<string, Statement>();
  function prepare(text: string): Statement {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    if (prepared.size < MAX_PREPARED) prepared.set(text, statement);
    return statement;
  }
  // An error is a rejection, as it is on PostgreSQL.
  const rows = async <R>(read: RawBuilder<R>): Promise<R[]> => {
    const { sql: text, parameters } = read.compile(query);
    return prepare(text).all(...parameters) as R[];
  };
  return { rows, first: async (statement) => (await rows(statement))[0] };
}

export function formerStoreIds(database: Database, query: Kysely<DatabaseSchema>): readonly FormerStoreId[] {
  const former = query
    .selectFrom('former_store_ids')
    .select(['store_id as storeId', 'last_event as lastEvent'])
    .orderBy('last_event');
  return rowsNow(database, former);
}

export function createQueryBuilder(database: Database): Kysely<DatabaseSchema> {
  return new Kysely<DatabaseSchema>({ dialect: new SqliteDialect({ database }) });
}
