/** The connection to the file, with what builds and reads queries on it. */
import type { Database } from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import type { DataOf } from '../../../event/stored-event.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { SqlReads } from '../../shared/sql-reads.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import { createIds, type FormerStoreId, type Ids } from '../../shared/ids.ts';
import { rowsNow } from './statement.ts';

/** An open store, as the operations on it use it. */
export interface Connection {
  readonly database: Database;
  /** Builds queries, and runs those that are not on the hot path. */
  readonly query: Kysely<DatabaseSchema>;
  /** Runs statements that both stores have. */
  readonly read: SqlReads;
  readonly ids: Ids;
  readonly clock: Clock;
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
  const read = createSqlReads(query);
  return { database, query, read, ids: createIds(storeId, formerStoreIds(database, query)), clock, dataOf };
}

function createSqlReads(query: Kysely<DatabaseSchema>): SqlReads {
  const rows: SqlReads['rows'] = async (statement) => (await statement.execute(query)).rows;
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
