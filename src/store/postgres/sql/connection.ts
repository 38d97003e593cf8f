/** What the parts of a store in PostgreSQL share. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Dialect,
} from 'kysely';
import type { DataOf } from '../../../event/stored-event.ts';
import type { SharedConnection } from '../../shared/sql/connection.ts';
import type { Lease } from '../database/connections/lease.ts';
import type { TransactLanes } from '../database/connections/lock-waits.ts';
import type { Transact } from '../database/connections/transaction.ts';
import type { PostgresSchema } from '../database/tables/postgres-schema.ts';
import type { Session } from './session.ts';

/** An open store, as the operations on it use it. */
export interface Connection extends SharedConnection {
  /**
   * Builds lists with optional conditions: of the audit, the quarantine and the states of machines. All other
   * statements are `sql` templates, which read as the SQL that they are.
   */
  readonly query: Kysely<PostgresSchema>;
  /** Runs each query by itself, for reads that need no transaction. */
  readonly read: Session;
  /** Runs work in a transaction of the pool for webhooks. */
  readonly accept: Transact;
  /** Runs claims and outcomes in a transaction of the pool for deliveries and operators. */
  readonly dispatch: Transact;
  /** Runs other work in a transaction of that pool. */
  readonly transact: Transact;
  /** As `transact`, for work that locks lanes: if it does not get a lock soon, it frees the others and runs again. */
  readonly transactLanes: TransactLanes;
  /** The right to run deliveries; undefined for a guest. */
  readonly lease: Lease | undefined;
  readonly limits: { readonly maxQuarantineBytes: number };
  readonly storeId: string;
  /** Reads the payload of a stored body, by its source; the member `data` when undefined. */
  readonly dataOf?: DataOf | undefined;
}

const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (database) => new PostgresIntrospector(database),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};

/** Returns a builder that compiles queries and runs none. */
export function createQueryBuilder(): Kysely<PostgresSchema> {
  return new Kysely<PostgresSchema>({ dialect });
}
