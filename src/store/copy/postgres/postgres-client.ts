/** The connection of a copy to PostgreSQL, with exact values. */
import pg from 'pg';
import { addressWithoutPassword } from '../../../kernel/postgres-address.ts';
import { createClient } from '../../postgres/database/connections/client.ts';
import { storeTypes } from '../../postgres/database/connections/pools.ts';
import { storeError } from '../../postgres/database/connections/store-error.ts';
import { createQueryBuilder } from '../../postgres/sql/connection.ts';
import { createSession, type Session } from '../../postgres/sql/session.ts';
import { decodeText } from '../../postgres/sql/text-codec.ts';
import type { Row } from '../copy-side.ts';

/** One connection to PostgreSQL, on which a copy reads or writes. */
export interface PostgresClient {
  readonly location: string;
  readonly client: pg.Client;
  /** Runs statements of the store itself. */
  readonly session: Session;
  /** Runs one statement without a result. */
  readonly run: (sql: string, values?: readonly unknown[]) => Promise<void>;
  /** Reads rows as arrays, with exact integers. */
  readonly rows: (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  readonly end: () => Promise<void>;
}

/** The numbers of types in PostgreSQL. */
const [BYTEA, INT8, INT2, INT4, TEXT, FLOAT8, NUMERIC] = [17, 20, 21, 23, 25, 701, 1700];

/** @param name what this connection does, as `pg_stat_activity` shows it */
export async function connectForCopy(url: string, name: string): Promise<PostgresClient> {
  const location = addressWithoutPassword(url);
  const client = createClient(url, `copy ${name}`, { types: storeTypes });
  try {
    await client.connect();
  } catch (error) {
    throw storeError(error, location);
  }
  return {
    location,
    client,
    session: createSession(client, createQueryBuilder()),
    async run(sql, values = []) {
      await client.query(sql, values.length === 0 ? undefined : [...values]);
    },
    async rows(sql, values = []) {
      const found = await client.query<unknown[]>({
        text: sql,
        values: [...values],
        rowMode: 'array',
        types: { getTypeParser: exactType as typeof pg.types.getTypeParser },
      });
      return found.rows as Row[];
    },
    async end() {
      await client.end();
    },
  };
}

function exactType(type: number): (value: string) => unknown {
  switch (type) {
    case INT2:
    case INT4:
    case INT8:
    case NUMERIC:
      return BigInt;
    case FLOAT8:
      return Number;
    case BYTEA:
      return pg.types.getTypeParser(BYTEA, 'text') as (value: string) => unknown;
    case TEXT:
      return decodeText;
    default:
      return (value) => value;
  }
}
