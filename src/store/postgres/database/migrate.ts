import type pg from 'pg';
import { PortariaError } from '../../../kernel/errors.ts';
import { firstTables } from './first-tables.ts';
import { operatorTables } from './operator-tables.ts';

interface Migration {
  readonly level: number;
  readonly name: string;
  readonly sql: string;
}

const migrations: readonly Migration[] = [
  { level: 1, name: 'first tables', sql: firstTables + operatorTables },
];

/** The number of the lock that a migrating process holds: one at a time. */
const MIGRATION_LOCK = 7_061_726_461;

/**
 * Creates or migrates the tables, in one transaction, which one process at a time runs.
 *
 * @throws PortariaError `store-newer` for tables of a newer version; `store-unsupported` for tables of another program
 */
export async function migrate(client: pg.ClientBase, now: number): Promise<void> {
  if ((await levelOf(client)) === newestLevel()) return;
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const level = await levelOf(client);
    if (level === 0) await requireEmpty(client);
    await client.query(
      'create table if not exists migrations (level integer primary key, name text not null, applied_at bigint not null)',
    );
    for (const migration of migrations.filter((one) => one.level > level)) {
      await client.query(migration.sql);
      const { level: applied, name } = migration;
      await client.query('insert into migrations values ($1, $2, $3)', [applied, name, now]);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

export function newestLevel(): number {
  return Math.max(...migrations.map(({ level }) => level));
}

/** Returns 0 when there are no tables yet. */
async function levelOf(client: pg.ClientBase): Promise<number> {
  const { rows: found } = await client.query("select to_regclass('migrations') is not null as known");
  if (!(found[0] as { known: boolean }).known) return 0;
  const { rows } = await client.query('select coalesce(max(level), 0)::integer as level from migrations');
  const { level } = rows[0] as { level: number };
  if (level <= newestLevel()) return level;
  throw new PortariaError(
    'store-newer',
    `the tables have level ${String(level)}, and this version of Portaria knows ${String(newestLevel())}: install the version that made them, or a newer one`,
  );
}

/** Tables of another program may have the names of ours. */
async function requireEmpty(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    "select relname from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') limit 1",
  );
  const [table] = rows as { relname: string }[];
  if (table === undefined) return;
  throw new PortariaError(
    'store-unsupported',
    `the database has tables of another program (${table.relname}): create a database for Portaria alone`,
  );
}
