/** A store in PostgreSQL that is copied. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { appendAudit } from '../../shared/audit/audit-writes.ts';
import { postgresDialect } from '../../postgres/sql/dialect.ts';
import { perform } from '../../postgres/sql/perform.ts';
import { requireNoCopy } from '../../postgres/database/tables/copy-marks.ts';
import { migrate } from '../../postgres/database/tables/migrate.ts';
import { requireNoOwner } from '../../postgres/database/connections/require-no-owner.ts';
import { storeError, withStoreErrors } from '../../postgres/database/connections/store-error.ts';
import { COPY_LOCK } from '../../postgres/sql/advisory-locks.ts';
import { rowOf } from '../../shared/ids.ts';
import { copiedTables } from '../copied-tables.ts';
import { quoted, type CopySource } from '../copy-side.ts';
import { connectForCopy, type PostgresClient } from './postgres-client.ts';
import { createPostgresReads } from './postgres-reads.ts';

/**
 * Opens a store in PostgreSQL to copy it. Until it is closed, no process serves it and no command writes it: what is
 * accepted or changed meanwhile would be missing in the copy.
 *
 * @throws PortariaError `store-locked` while a process owns it, `store-busy` while a command writes it
 */
export async function openPostgresSource(url: string, clock: Clock): Promise<CopySource> {
  const connection = await connectForCopy(url, 'source');
  try {
    await requireStore(connection);
    await requireNoCopy(connection.session, { role: 'guest', location: connection.location });
    await migrate(connection.client, clock.now());
    await requireNoOwner(connection, 'copy again');
    await hold(connection);
    // Another process may have started before the tables were locked.
    await requireNoOwner(connection, 'copy again');
    return sourceOf(connection);
  } catch (error) {
    await connection.end();
    throw storeError(error, connection.location);
  }
}

async function requireStore({ rows, location }: PostgresClient): Promise<void> {
  const [row] = await rows("select to_regclass('migrations')::text");
  if (row?.[0] !== null) return;
  throw new PortariaError('not-found', `There is no store in ${location}: check PORTARIA_DATABASE`);
}

/** Locks the tables against writes, in a transaction that lasts until the end of the copy. */
async function hold({ run, rows, location }: PostgresClient): Promise<void> {
  await run(`begin isolation level read committed; set local idle_in_transaction_session_timeout = 0;
    set local statement_timeout = 0; set local lock_timeout = '5s'; set local jit = off`);
  const [row] = await rows(`select pg_try_advisory_xact_lock(${String(COPY_LOCK)}, 0)::integer`);
  if (row?.[0] !== 1n) throw new PortariaError('store-locked', `another copy of ${location} runs`);
  // `store` is left out: each opening of a store inserts into it, which this lock would block.
  const tables = copiedTables.map(({ name }) => name).filter((name) => name !== 'store');
  await run(`lock table ${quoted([...tables, 'event_contents', 'leases'])} in share mode`);
}

function sourceOf(connection: PostgresClient): CopySource {
  const { location, run, session, end } = connection;
  let isOpen = true;
  return {
    location,
    isPostgres: true,
    ...withStoreErrors(
      {
        ...createPostgresReads(connection),
        appendAudit: async (entry) =>
          BigInt(rowOf('u', await perform({ session }, appendAudit(postgresDialect, entry))) ?? 0),
        commit: () => run('commit'),
        async close() {
          if (!isOpen) return;
          isOpen = false;
          // The end of the connection undoes what is not committed.
          await end();
        },
      } satisfies Omit<CopySource, 'location' | 'isPostgres'>,
      location,
    ),
  };
}
