/** The checks of `doctor` that concern the server: connections, age of transaction ids, dead rows, standbys. */
import { sql } from 'kysely';
import { checked, type StoreCheck } from '../../../checks.ts';
import { ownSchema } from '../../sql/expressions.ts';
import type { Session } from '../../sql/session.ts';
import { feedbackCheck, slotsCheck } from './check-replication.ts';

/** The part of all connections above which the check fails. */
const MAX_CONNECTIONS_USED = 0.8;
/** PostgreSQL stops at 2.1 billion transactions without a vacuum. It vacuums at 200 million by itself. */
const MAX_AGE = 1_000_000_000;
/** Minutes of an open transaction above which the check fails: no vacuum removes what ended since it began. */
const MAX_TRANSACTION_MINUTES = 60;
/** Removed rows of a table above which the check fails, if they are more than its rows. */
const MAX_DEAD_ROWS = 200_000;
/** Bytes of an index above which it is looked at, and those for each row above which the check fails. */
const MIN_INDEX_BYTES = 128 * 1024 * 1024;
const MAX_INDEX_BYTES_PER_ROW = 1_024;
/** The log that a standby lacks above which the check fails, in MiB. */
const MAX_LAG_MIB = 1_024;

/** Checks the server: what grows for days before it fails. */
export async function clusterChecks(session: Session): Promise<readonly StoreCheck[]> {
  return [
    await connectionsCheck(session),
    await ageCheck(session),
    await oldestTransactionCheck(session),
    await deadRowsCheck(session),
    await indexesCheck(session),
    await standbyCheck(session),
    await feedbackCheck(session),
    await slotsCheck(session),
  ];
}

async function connectionsCheck(session: Session): Promise<StoreCheck> {
  const row = await session.first(sql<{ used: number; most: number }>`
    select count(*) as used, current_setting('max_connections')::integer
      - current_setting('superuser_reserved_connections')::integer as most
    from pg_stat_activity where backend_type = 'client backend'`);
  const { used = 0, most = 1 } = row ?? {};
  const ok = used <= most * MAX_CONNECTIONS_USED;
  return checked('connections', ok, { code: 'connections', used, most, ok });
}

async function ageCheck(session: Session): Promise<StoreCheck> {
  const row = await session.first(
    sql<{ age: number }>`select age(datfrozenxid) as age from pg_database where datname = current_database()`,
  );
  const age = row?.age ?? 0;
  const ok = age <= MAX_AGE;
  return checked('transaction ids', ok, { code: 'transaction-ids', millions: (age / 1e6).toFixed(1), ok });
}

/**
 * A forgotten transaction, prepared or not, keeps removed rows in every table. Without the role `pg_monitor`, PostgreSQL
 * does not show those of other users.
 */
async function oldestTransactionCheck(session: Session): Promise<StoreCheck> {
  const row = await session.first(sql<{ minutes: number; name: string }>`
    select floor(extract(epoch from clock_timestamp() - since) / 60)::integer as minutes, name from (
      select xact_start as since, format('pid %s (%s)', pid, application_name) as name
      from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid()
      union all
      select prepared, format('prepared transaction %s', gid) from pg_prepared_xacts
    ) as open
    where since is not null order by since limit 1`);
  const rights = await session.first(
    sql<{ all: boolean }>`select pg_has_role('pg_read_all_stats', 'usage') as all`,
  );
  const hidden = rights?.all !== true;
  if (row === undefined) return checked('open transactions', true, { code: 'no-transaction', hidden });
  const { minutes, name } = row;
  return minutes <= MAX_TRANSACTION_MINUTES
    ? checked('open transactions', true, { code: 'transaction', minutes, hidden })
    : checked('open transactions', false, { code: 'old-transaction', minutes, name });
}

async function deadRowsCheck(session: Session): Promise<StoreCheck> {
  const row = await session.first(sql<{ table: string; removed: number; rows: number }>`
    select relname as table, n_dead_tup as removed, n_live_tup as rows from pg_stat_user_tables
    where schemaname = (select nspname from pg_namespace where oid = ${ownSchema}) and n_dead_tup > ${MAX_DEAD_ROWS} and n_dead_tup > n_live_tup
    order by n_dead_tup desc limit 1`);
  return row === undefined
    ? checked('removed rows', true, { code: 'vacuumed' })
    : checked('removed rows', false, { code: 'removed-rows', ...row });
}

/** Pages of an index that once held many rows stay its own: that of what waits, after a long backlog. */
async function indexesCheck(session: Session): Promise<StoreCheck> {
  const row = await session.first(sql<{ index: string; mib: number; rows: number }>`
    select index.relname as index, (pg_relation_size(index.oid) / 1048576)::double precision as mib,
      greatest(index.reltuples, 0)::double precision as rows
    from pg_class as index
    where index.relkind = 'i' and index.relnamespace = ${ownSchema}
      and pg_relation_size(index.oid) > ${MIN_INDEX_BYTES}
      and pg_relation_size(index.oid) > ${MAX_INDEX_BYTES_PER_ROW} * greatest(index.reltuples, 1)
    order by pg_relation_size(index.oid) desc limit 1`);
  return row === undefined
    ? checked('indexes', true, { code: 'indexes' })
    : checked('indexes', 'warning', { code: 'large-index', ...row });
}

/** Without the role `pg_monitor`, PostgreSQL shows standbys but not how far they are. */
async function standbyCheck(session: Session): Promise<StoreCheck> {
  const rows = await session.rows(sql<{ name: string; mode: string | null; mib: number | null }>`
    select application_name as name, sync_state as mode,
      floor(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
        replay_lsn) / 1048576)::double precision as mib
    from pg_stat_replication order by mib desc nulls last`);
  const [worst] = rows;
  if (worst === undefined) return checked('standbys', true, { code: 'no-standbys' });
  const { name: standby, mib } = worst;
  if (mib === null) return checked('standbys', true, { code: 'standbys', count: rows.length });
  const isSafe = rows.some(({ mode }) => mode === 'sync' || mode === 'quorum');
  const finding = { code: 'standby-lacks', standby, mode: worst.mode ?? 'async', mib } as const;
  return mib <= MAX_LAG_MIB
    ? checked('standbys', true, { ...finding, state: isSafe ? 'safe' : 'unsafe' })
    : checked('standbys', false, { ...finding, state: 'far' });
}
