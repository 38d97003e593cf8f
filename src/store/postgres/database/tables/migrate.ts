/** Creates and migrates the tables. */
import { sql } from 'kysely';
import type pg from 'pg';
import { PortariaError } from '../../../../kernel/errors.ts';
import { codeOf } from '../../../shared/error-meaning.ts';
import { MIGRATION_LOCK } from '../../sql/advisory-locks.ts';
import { ownSchema } from '../../sql/expressions.ts';
import { createQueryBuilder } from '../../sql/connection.ts';
import { createSession, type Session } from '../../sql/session.ts';
import { readLiveProcesses } from '../connections/lease.ts';
import { migrations as allMigrations, type Migration } from './migrations.ts';
import { readSchemaLevel, requireKnownLevel, type SchemaLevel } from './schema-level.ts';

/** How often a migration is tried that waits for statements of others. */
const MAX_ATTEMPTS = 60;
/** The code of a statement that has waited too long for a lock. */
const NO_LOCK = '55P03';

/** A migrating process that is lost with its machine gives up the lock after a minute. */
const begin = `begin isolation level read committed; set local idle_in_transaction_session_timeout = '60s'; set local lock_timeout = '5min';
set local statement_timeout = 0`;

/**
 * Creates or migrates the tables, in one transaction, which one process at a time runs.
 *
 * @throws PortariaError `store-newer` for tables that this version may not use; `store-unsupported` for tables of another
 *   program; `store-locked` when a process runs that may not use the tables after the migration
 */
export async function migrate(
  client: pg.ClientBase,
  now: number,
  migrations: readonly Migration[] = allMigrations,
): Promise<void> {
  const session = createSession(client, createQueryBuilder());
  const newest = Math.max(...migrations.map(({ level }) => level));
  for (let attempt = 1; ; attempt += 1) {
    const found = await readSchemaLevel(session);
    requireKnownLevel(found, newest);
    if (found.level >= newest) return;
    try {
      await migrateOnce(client, session, now, migrations);
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || codeOf(error) !== NO_LOCK) throw error;
    }
  }
}

async function migrateOnce(
  client: pg.ClientBase,
  session: Session,
  now: number,
  migrations: readonly Migration[],
): Promise<void> {
  await client.query(begin);
  try {
    await applyMigrations(client, session, now, migrations);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Creates or migrates the tables in the transaction of the caller. */
export async function applyMigrations(
  client: pg.ClientBase,
  session: Session,
  now: number,
  migrations: readonly Migration[] = allMigrations,
): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, 0)', [MIGRATION_LOCK]);
  // A change of a table waits for the statements of others, and all later ones wait for it.
  await client.query("set local lock_timeout = '1s'");
  // Another process may have migrated the tables, and be of a newer version than this one.
  const found = await readSchemaLevel(session);
  const missing = migrations.filter(({ level }) => level > found.level);
  if (found.level === 0) await createLevels(client, session);
  else {
    await requireNoOlderProcess(session, found, missing);
    await session.run(sql`select set_config('search_path', ${ownSchema}::regnamespace::text, true)`);
  }
  for (const { level, name, worksWith, sql: change } of missing) {
    await client.query(change);
    await client.query(
      'insert into migrations (level, name, applied_at, works_with) values ($1, $2, $3, $4)',
      [level, name, now, worksWith],
    );
  }
}

/** Tables of another program may have the names of ours. */
async function createLevels(client: pg.ClientBase, session: Session): Promise<void> {
  const table = await session.first(sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') order by relname limit 1`);
  if (table !== undefined)
    throw new PortariaError(
      'store-unsupported',
      `the database has tables of another program (${table.name}): create a database for Portaria alone`,
    );
  await client.query(`create table migrations (
    level integer primary key, name text not null, applied_at bigint not null, works_with integer not null)`);
}

/** Processes that start meanwhile find out in {@link requireKnownLevel}, since they need a lease first. */
async function requireNoOlderProcess(
  session: Session,
  { worksWith: before }: SchemaLevel,
  missing: readonly Migration[],
): Promise<void> {
  const worksWith = Math.max(before, ...missing.map((one) => one.worksWith));
  if (worksWith === before) return;
  await session.run(sql`lock table leases in share row exclusive mode`);
  const older = (await readLiveProcesses(session)).find(({ level }) => level < worksWith);
  if (older === undefined) return;
  throw new PortariaError(
    'store-locked',
    `process ${String(older.pid)} on ${older.host} has level ${String(older.level)}, and the tables of this version ` +
      `work with versions from level ${String(worksWith)} on: stop the processes of older versions, then start this one`,
  );
}
