/** A database in PostgreSQL that a store is copied into. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { migrate } from '../../postgres/database/tables/migrate.ts';
import { newestLevel } from '../../postgres/database/tables/migrations.ts';
import { requireRights, requireServer } from '../../postgres/database/checks/require-server.ts';
import { requireNoOwner } from '../../postgres/database/connections/require-no-owner.ts';
import { storeError, withStoreErrors } from '../../postgres/database/connections/store-error.ts';
import { createContentDays } from '../../postgres/events/content-days.ts';
import { COPY_LOCK } from '../../postgres/sql/advisory-locks.ts';
import { OTHER_KINDS } from '../../shared/statistics/counted-kinds.ts';
import { copiedTable, copiedTables, type CopiedTable } from '../copied-tables.ts';
import {
  quoted,
  valuesOf,
  type CopyEnd,
  type CopyTarget,
  type Row,
  type TableProgress,
} from '../copy-side.ts';
import { connectForCopy, type PostgresClient } from './postgres-client.ts';
import { insertIntoPostgres } from './postgres-insert.ts';
import { createPostgresReads } from './postgres-reads.ts';
import {
  anotherVersion,
  firstProgress,
  PROGRESS_COLUMNS,
  progressOf,
  progressRow,
  progressTable,
  requireNoRows,
} from '../progress-records.ts';
import { sumOfHeldBytes } from '../table-sums.ts';

/**
 * Opens a database in PostgreSQL to copy a store into it: an empty one, or an unfinished copy. Nothing is written yet.
 *
 * @throws PortariaError `store-locked` while a process owns it or another copy uses it, `invalid-argument` when it is
 *   not empty, `store-unsupported` when another program or version uses it
 */
export async function openPostgresTarget(url: string, clock: Clock): Promise<CopyTarget> {
  const connection = await connectForCopy(url, 'target');
  try {
    const { session, location } = connection;
    await requireServer(session, { location, isPooled: false });
    await lock(connection);
    const progress = await readProgress(connection);
    return targetOf(connection, clock, progress);
  } catch (error) {
    await connection.end();
    throw storeError(error, connection.location);
  }
}

async function lock({ rows, location }: PostgresClient): Promise<void> {
  const [row] = await rows(`select pg_try_advisory_lock(${String(COPY_LOCK)}, 0)::integer`);
  if (row?.[0] === 1n) return;
  throw new PortariaError(
    'store-locked',
    `${location} is the database that is copied, or another copy uses it: copy into a database of its own`,
  );
}

/** Returns the progress of an unfinished copy; null for an empty database. */
async function readProgress(connection: PostgresClient): Promise<CopyTarget['progress']> {
  const { rows, location } = connection;
  const [row] = await rows("select to_regclass('copy_progress')::text, to_regclass('migrations')::text");
  const [unfinished = null, migrations = null] = row ?? [];
  // An empty database; migrating it refuses one of another program.
  if (migrations === null) return null;
  const [level] = await rows('select max(level) from migrations');
  const isCurrent = level?.[0] === BigInt(newestLevel);
  if (unfinished !== null) {
    if (!isCurrent) throw anotherVersion(location);
    await requireRights(connection.session, location);
    return progressOf(await rows(`select ${quoted(PROGRESS_COLUMNS)} from copy_progress`));
  }
  if (isCurrent) {
    await requireNoRows(createPostgresReads(connection), location);
    await requireRights(connection.session, location);
  }
  await requireNoOwner(connection, 'copy again');
  return null;
}

const insertProgress = `insert into copy_progress (${quoted(PROGRESS_COLUMNS)}) values ($1, $2, $3, $4, $5)`;

/** The settings end with the transaction: a pooler may share the connection. A lost commit is copied again. */
const begin = `begin isolation level read committed; set local synchronous_commit = off;
set local statement_timeout = 0; set local lock_timeout = '5s'; set local jit = off`;

function targetOf(connection: PostgresClient, clock: Clock, progress: CopyTarget['progress']): CopyTarget {
  const { client, location, run, session, end } = connection;
  const days = createContentDays((work) => work(session));
  let isOpen = true;

  async function transaction<T>(work: () => Promise<T>, further = ''): Promise<T> {
    await run(`${begin}${further}`);
    try {
      const value = await work();
      await run('commit');
      return value;
    } catch (error) {
      await run('rollback').catch(() => undefined);
      throw error;
    }
  }

  const save = (table: CopiedTable, now: TableProgress): Promise<void> =>
    run(
      `${insertProgress} on conflict (name) do update set
         after = excluded.after, rows = excluded.rows, digest = excluded.digest`,
      progressRow(table, now),
    );

  return {
    location,
    isPostgres: true,
    progress,
    ...withStoreErrors(
      {
        ...createPostgresReads({
          rows: (text, values) => transaction(() => connection.rows(text, values)),
        }),
        async begin(sourceRows) {
          await migrate(client, clock.now());
          await transaction(async () => {
            // A process may have started since the target was opened; from here on none gets a lease.
            await run('lock table leases in share mode');
            await requireNoOwner(connection, 'copy again');
            for (const table of await tablesWithTriggers(connection))
              await run(`alter table ${table} disable trigger user`);
            for (const { name } of copiedTables.filter((one) => one.isSeeded === true))
              await run(`delete from "${name}"`);
            await run(progressTable);
            for (const values of firstProgress(sourceRows)) await run(insertProgress, values);
          });
        },
        write: (table, rows, now) =>
          transaction(async () => {
            if (table.name === 'events')
              await days.ensure(rows.map((row) => Number(valuesOf(table, row, ['received_at'])[0])));
            await insertIntoPostgres(connection, table, rows);
            await save(table, now);
          }),
        replace: (table, rows, now) =>
          transaction(async () => {
            await run(`delete from "${table.name}"`);
            await insertIntoPostgres(connection, table, rows);
            await addCounts(connection, table, rows);
            await save(table, now);
          }),
        async finish(copyEnd) {
          const tables = [...copiedTables.map(({ name }) => name), 'event_contents'];
          await transaction(() => run(`analyze ${quoted(tables)}`));
          await transaction(() => finish(connection, copyEnd), '; set local synchronous_commit = on');
        },
        async close() {
          if (!isOpen) return;
          isOpen = false;
          await end();
        },
      } satisfies Omit<CopyTarget, 'location' | 'isPostgres' | 'progress'>,
      location,
    ),
  };
}

async function tablesWithTriggers({ rows }: PostgresClient): Promise<readonly string[]> {
  const found = await rows(
    `select distinct tgrelid::regclass::text from pg_trigger join pg_class on pg_class.oid = tgrelid
     where not tgisinternal and relnamespace = current_schema()::regnamespace`,
  );
  return found.map(([table]) => String(table));
}

/** What PostgreSQL counts beyond SQLite, or by its own rows. */
async function addCounts({ run }: PostgresClient, table: CopiedTable, added: readonly Row[]): Promise<void> {
  if (table.name === 'row_counts')
    await run("insert into row_counts (name, rows) select 'subjects', count(*) from subjects");
  if (table.name === 'quarantine_counts') await run(sumOfHeldBytes);
  if (table.name !== 'event_counts') return;
  const kinds = added.flatMap((row) => {
    const [kind, recognized] = valuesOf(table, row, ['kind', 'recognized']);
    return recognized === 0n && kind !== OTHER_KINDS ? [kind] : [];
  });
  await run('delete from counted_kinds');
  await insertIntoPostgres(
    { run },
    { name: 'counted_kinds', key: ['place'], columns: { place: 'integer', kind: 'text' } },
    [...new Set(kinds)].map((kind, index) => [BigInt(index + 1), kind ?? null]),
  );
}

async function finish(connection: PostgresClient, { audit, lastNumbers }: CopyEnd): Promise<void> {
  const { run } = connection;
  await insertIntoPostgres(connection, copiedTable('audit'), [audit]);
  const numbers = [...lastNumbers].filter(([name, last]) => name !== 'audit' && last > 0n);
  await run(
    `select setval(pg_get_serial_sequence(name, 'id'), last)
     from unnest($1::text[], $2::bigint[]) as numbers (name, last)`,
    [numbers.map(([name]) => name), numbers.map(([, last]) => String(last))],
  );
  await run('update audit_start set last = $1', [String(lastNumbers.get('audit') ?? 0n)]);
  for (const table of await tablesWithTriggers(connection))
    await run(`alter table ${table} enable trigger user`);
  await run('drop table copy_progress');
}
