/** A database in PostgreSQL that a store is copied into, in one transaction: until its end, the database is empty. */
import { sql } from 'kysely';
import { PortariaError } from '../../kernel/errors.ts';
import { addressWithoutPassword } from '../../kernel/postgres-address.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { requireServer } from '../postgres/database/checks/require-server.ts';
import { createClient } from '../postgres/database/connections/client.ts';
import { storeTypes } from '../postgres/database/connections/pools.ts';
import { storeError } from '../postgres/database/connections/store-error.ts';
import { applyMigrations } from '../postgres/database/tables/migrate.ts';
import { readSchemaLevel } from '../postgres/database/tables/schema-level.ts';
import { createContentDays } from '../postgres/events/content-days.ts';
import { COPY_LOCK } from '../postgres/sql/advisory-locks.ts';
import { createQueryBuilder } from '../postgres/sql/connection.ts';
import { insertOf, type Columns } from '../postgres/sql/expressions.ts';
import { createSession, type Session } from '../postgres/sql/session.ts';
import { OTHER_KINDS } from '../shared/statistics/count-classes.ts';
import { computedColumns, recordsOfProcesses, type CopiedTable, type Row } from './copied-tables.ts';

/** The database that is written. */
export interface CopyTarget {
  /** Its address without the password. */
  readonly location: string;
  /** The tables that the version makes, without the records of processes. */
  readonly tables: readonly CopiedTable[];
  /** Makes a table ready for rows: a new store has some already. */
  empty(table: CopiedTable): Promise<void>;
  write(table: CopiedTable, rows: readonly Row[]): Promise<void>;
  /** Reads what was written, so many rows at a time. */
  pages(table: CopiedTable, rows: number): AsyncIterable<readonly Row[]>;
  /** Makes the copy a store like any other. */
  finish(lastNumbers: ReadonlyMap<string, number>): Promise<void>;
  /** Disconnects. What is not finished is undone. */
  close(): Promise<void>;
}

/** A copy whose machine is lost lets go of its locks after a minute. */
const begin = `begin isolation level read committed; set local idle_in_transaction_session_timeout = '60s';
set local statement_timeout = 0; set local lock_timeout = '5s'; set local jit = off`;

/** No lease has this number: the next process that serves takes over the deliveries that name it. */
const NO_LEASE = 0;

/**
 * Opens an empty database, and begins the transaction of a copy.
 *
 * @throws PortariaError `store-locked` while another copy uses the database, `invalid-argument` when it has a store,
 *   `store-unsupported` when another program uses it
 */
export async function openPostgresTarget(url: string, clock: Clock): Promise<CopyTarget> {
  const location = addressWithoutPassword(url);
  const client = createClient(url, 'copy', { types: storeTypes });
  try {
    await client.connect();
    const session = createSession(client, createQueryBuilder());
    await requireServer(session, { location, isPooled: false });
    await client.query(begin);
    await lock(session, location);
    if ((await readSchemaLevel(session)).level > 0)
      throw new PortariaError('invalid-argument', `${location} is not empty: copy into a new database`);
    await applyMigrations(client, session, clock.now());
    return {
      location,
      tables: await tablesIn(session),
      ...writesOf(session),
      async finish(lastNumbers) {
        await finish(session, lastNumbers);
        await client.query('analyze; commit');
      },
      close: () => client.end(),
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw storeError(error, location);
  }
}

async function lock(session: Session, location: string): Promise<void> {
  const row = await session.first(
    sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${COPY_LOCK}, 0) as free`,
  );
  if (row?.free !== true) throw new PortariaError('store-locked', `another copy into ${location} runs`);
}

async function tablesIn(session: Session): Promise<readonly CopiedTable[]> {
  const found = await session.rows(sql<{ name: string; columns: CopiedTable['columns']; numbered: boolean }>`
    select table_name::text as name, json_agg(json_build_object('name', column_name, 'type', data_type)) as columns,
      bool_or(column_name = 'id' and is_identity = 'YES') as numbered
    from information_schema.columns
    where table_schema = current_schema() and is_generated = 'NEVER'
    group by table_name`);
  return found
    .filter(({ name }) => !recordsOfProcesses.includes(name))
    .map(({ name, columns, numbered }) => ({
      name,
      columns: columns.filter((column) => !computedColumns.includes(`${name}.${column.name}`)),
      isNumbered: numbered,
    }));
}

function writesOf(session: Session): Pick<CopyTarget, 'empty' | 'write' | 'pages'> {
  const days = createContentDays((work) => work(session));
  return {
    async empty({ name }) {
      // Triggers would count what the copied counts contain.
      await session.run(sql`alter table ${sql.id(name)} disable trigger user`);
      await session.run(sql`delete from ${sql.id(name)}`);
    },
    async write(table, rows) {
      if (table.name === 'event_contents') await days.ensure(rows.map((row) => Number(row['received_at'])));
      const columns = table.columns.map(({ name, type }) => [name, [type, (row: Row) => row[name]]]);
      await session.run(insertOf(table.name, rows, Object.fromEntries(columns) as Columns<Row>));
    },
    async *pages({ name, columns }, rows) {
      const chosen = sql.join(columns.map((column) => sql.ref(column.name)));
      await session.run(sql`declare copied no scroll cursor for select ${chosen} from ${sql.id(name)}`);
      for (;;) {
        const page = await session.rows(sql<Row>`fetch ${sql.lit(rows)} from copied`);
        if (page.length === 0) break;
        yield page;
      }
      await session.run(sql`close copied`);
    },
  };
}

/** Adds what PostgreSQL alone has, and gives rows numbers after the last ones of the source. */
async function finish(session: Session, lastNumbers: ReadonlyMap<string, number>): Promise<void> {
  const statements = [
    sql`update deliveries set holder = ${sql.lit(NO_LEASE)} where status = 'running'`,
    sql`insert into row_counts (name, rows) select 'subjects', count(*) from subjects`,
    sql`update quarantine_counts set bytes = (
      select coalesce(sum(bytes), 0) from quarantine
      where status = 'held' and verified = quarantine_counts.verified and reason = quarantine_counts.reason
    )`,
    sql`insert into counted_kinds (place, kind) select row_number() over (), kind from (
      select distinct kind from event_counts where recognized = 0 and kind <> ${sql.lit(OTHER_KINDS)}
    ) as kinds`,
    sql`update audit_start set last = greatest(through, (select max(id) from audit))`,
  ];
  for (const statement of statements) await session.run(statement);
  for (const [name, last] of lastNumbers)
    if (last > 0)
      await session.run(
        sql`select setval(pg_get_serial_sequence(${sql.lit(name)}, 'id'), ${sql.lit(last)}::bigint)`,
      );
  const changed = await session.rows(sql<{ name: string }>`
    select distinct relname::text as name from pg_trigger join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and tgenabled = 'D' and relnamespace = current_schema()::regnamespace`);
  for (const { name } of changed) await session.run(sql`alter table ${sql.id(name)} enable trigger user`);
}
