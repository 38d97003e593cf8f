/** The checks of `doctor` that concern what standbys and replication slots keep: removed rows, and the log. */
import { sql } from 'kysely';
import type { StoreCheck } from '../../../store.ts';
import type { Session } from '../../sql/session.ts';

/** Transactions above which the check fails: no vacuum removes a row that one of them or a later one has ended. */
const MAX_HELD_BACK = 1_000_000;
/** The log that a slot keeps above which the check fails, in MiB. */
const MAX_KEPT_MIB = 1_024;

interface Slot {
  readonly name: string;
  readonly active: boolean;
  /** `unreserved` and `lost` once the slot keeps more than max_slot_wal_keep_size. */
  readonly status: string | null;
  /** The log that it keeps; null when it keeps none. */
  readonly mib: number | null;
  /** Transactions whose removed rows it keeps; null when it keeps none. */
  readonly age: number | null;
}

/** Every user may see all of it. A slot keeps rows and log without a connection, for ever. */
export async function slotsCheck(session: Session): Promise<StoreCheck> {
  const slots = await session.rows(
    sql<Slot>`
      select slot_name as name, active, wal_status as status,
        floor(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
          restart_lsn) / 1048576)::double precision as mib,
        greatest(age(xmin), age(catalog_xmin)) as age
      from pg_replication_slots order by active, mib desc nulls last, name`,
  );
  const name = 'replication slots';
  const failure = slots.map(failureOf).find((found) => found !== null);
  if (failure !== undefined) return { name, ok: false, detail: failure };
  const idle = slots.find(({ active }) => !active);
  if (idle !== undefined)
    return {
      ...{ name, ok: true, warning: true },
      detail: `${idle.name} is not in use and keeps ${String(idle.mib ?? 0)} MiB of the log: ${dropOf(idle)}`,
    };
  return { name, ok: true, detail: slots.length === 0 ? 'none' : `${String(slots.length)}, all in use` };
}

function failureOf(slot: Slot): string | null {
  const { name, status, mib, age } = slot;
  if (status === 'lost' || status === 'unreserved')
    return `${name} keeps more of the log than max_slot_wal_keep_size, so its standby may have to be copied again: ${dropOf(slot)}`;
  if (age !== null && age > MAX_HELD_BACK)
    return `${name} keeps removed rows of ${millions(age)} million transactions from being vacuumed: ${remedyOf(slot)}`;
  if (mib !== null && mib > MAX_KEPT_MIB)
    return `${name} keeps ${String(mib)} MiB of the log, until the disk is full: ${remedyOf(slot)}`;
  return null;
}

function remedyOf(slot: Slot): string {
  return slot.active ? 'look at the standby or the program that uses it' : dropOf(slot);
}

function dropOf({ name }: Slot): string {
  return `start what uses it, or run \`select pg_drop_replication_slot('${name}')\``;
}

/**
 * A standby with `hot_standby_feedback` keeps removed rows for its queries. One without a slot does so by its connection,
 * which has no transaction. Without the role `pg_monitor`, PostgreSQL does not show it.
 */
export async function feedbackCheck(session: Session): Promise<StoreCheck> {
  const name = 'standby feedback';
  const row = await session.first(
    sql<{ standbys: number; hidden: number; name: string | null; age: number | null }>`
      select count(*) as standbys, count(*) filter (where state is null) as hidden,
        (array_agg(application_name order by age(backend_xmin) desc nulls last))[1] as name,
        max(age(backend_xmin)) as age
      from pg_stat_replication`,
  );
  const { standbys = 0, hidden = 0, age = null } = row ?? {};
  if (standbys === 0) return { name, ok: true, detail: 'none: there are no standbys' };
  if (age !== null && age > MAX_HELD_BACK)
    return {
      name,
      ok: false,
      detail:
        `${row?.name ?? ''} keeps removed rows of ${millions(age)} million transactions from being vacuumed: ` +
        'end the old query there, or switch off hot_standby_feedback',
    };
  if (hidden > 0)
    return { name, ok: true, detail: 'grant pg_monitor to see what standbys keep from being vacuumed' };
  return {
    name,
    ok: true,
    detail: age === null ? 'none' : `standbys keep the removed rows of ${millions(age)} million transactions`,
  };
}

function millions(transactions: number): string {
  return (transactions / 1e6).toFixed(1);
}
