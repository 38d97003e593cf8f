/** The checks of `doctor` that concern the server: connections, age of transaction ids, dead rows, standbys. */
import { sql } from 'kysely';
import type { StoreCheck } from '../../../store.ts';
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
  const found = `${String(used)} of ${String(most)} are used`;
  const remedy = 'set a larger max_connections, or use a pooler';
  return { name: 'connections', ok, detail: ok ? found : `${found}: ${remedy}` };
}

async function ageCheck(session: Session): Promise<StoreCheck> {
  const row = await session.first(
    sql<{ age: number }>`select age(datfrozenxid) as age from pg_database where datname = current_database()`,
  );
  const age = row?.age ?? 0;
  const ok = age <= MAX_AGE;
  const found = `the oldest number of a transaction is ${(age / 1e6).toFixed(1)} million old`;
  const remedy =
    'PostgreSQL takes no writes at 2,100 million: find out why autovacuum does not end, and run `vacuum freeze`';
  return { name: 'transaction ids', ok, detail: ok ? found : `${found}: ${remedy}` };
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
  const hidden = rights?.all === true ? '' : '; grant pg_monitor to see those of other users';
  if (row === undefined)
    return { name: 'open transactions', ok: true, detail: `none besides this one${hidden}` };
  const ok = row.minutes <= MAX_TRANSACTION_MINUTES;
  const found = `the oldest is ${String(row.minutes)} minutes old`;
  const remedy = `${row.name} keeps removed rows from being vacuumed; end it`;
  return { name: 'open transactions', ok, detail: ok ? `${found}${hidden}` : `${found}: ${remedy}` };
}

async function deadRowsCheck(session: Session): Promise<StoreCheck> {
  const row = await session.first(sql<{ name: string; dead: number; live: number }>`
    select relname as name, n_dead_tup as dead, n_live_tup as live from pg_stat_user_tables
    where schemaname = current_schema() and n_dead_tup > ${MAX_DEAD_ROWS} and n_dead_tup > n_live_tup
    order by n_dead_tup desc limit 1`);
  if (row === undefined) return { name: 'removed rows', ok: true, detail: 'autovacuum keeps up' };
  return {
    name: 'removed rows',
    ok: false,
    detail:
      `${row.name} has ${String(row.dead)} removed rows beside ${String(row.live)}: autovacuum is off or too slow; ` +
      `run \`vacuum ${row.name}\`, and raise autovacuum_vacuum_cost_limit`,
  };
}

/** Pages of an index that once held many rows stay its own: that of what waits, after a long backlog. */
async function indexesCheck(session: Session): Promise<StoreCheck> {
  const row = await session.first(sql<{ name: string; mib: number; rows: number }>`
    select index.relname as name, (pg_relation_size(index.oid) / 1048576)::double precision as mib,
      greatest(index.reltuples, 0)::double precision as rows
    from pg_class as index
    where index.relkind = 'i' and index.relnamespace = current_schema()::regnamespace
      and pg_relation_size(index.oid) > ${MIN_INDEX_BYTES}
      and pg_relation_size(index.oid) > ${MAX_INDEX_BYTES_PER_ROW} * greatest(index.reltuples, 1)
    order by pg_relation_size(index.oid) desc limit 1`);
  const name = 'indexes';
  if (row === undefined) return { name, ok: true, detail: 'none is much larger than its rows' };
  return {
    ...{ name, ok: true, warning: true },
    detail:
      `${row.name} has ${String(Math.round(row.mib))} MiB for ${String(row.rows)} rows: ` +
      `run \`reindex index concurrently ${row.name}\``,
  };
}

/** Without the role `pg_monitor`, PostgreSQL shows standbys but not how far they are. */
async function standbyCheck(session: Session): Promise<StoreCheck> {
  const rows = await session.rows(sql<{ name: string; mode: string | null; mib: number | null }>`
    select application_name as name, sync_state as mode,
      floor(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
        replay_lsn) / 1048576)::double precision as mib
    from pg_stat_replication order by mib desc nulls last`);
  const [worst] = rows;
  if (worst === undefined)
    return { name: 'standbys', ok: true, detail: 'none: only a backup survives the loss of the disk' };
  if (worst.mib === null)
    return {
      name: 'standbys',
      ok: true,
      detail: `${String(rows.length)}; grant pg_monitor to see how far they are`,
    };
  const ok = worst.mib <= MAX_LAG_MIB;
  const found = `${worst.name} (${worst.mode ?? 'async'}) lacks ${String(worst.mib)} MiB of the log`;
  if (!ok)
    return {
      name: 'standbys',
      ok,
      detail: `${found}: it would lose them in a failover; look at its network and disk`,
    };
  const isSafe = rows.some(({ mode }) => mode === 'sync' || mode === 'quorum');
  const loss =
    'none is synchronous, so a failover loses the last commits; synchronous_standby_names prevents that';
  return { name: 'standbys', ok, detail: isSafe ? found : `${found}; ${loss}` };
}
