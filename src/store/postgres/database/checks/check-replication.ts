/** The checks of `doctor` that concern what standbys and replication slots keep: removed rows, and the log. */
import { sql } from 'kysely';
import { checked, type CheckFinding, type StoreCheck } from '../../../checks.ts';
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
  if (failure !== undefined) return checked(name, false, failure);
  const idle = slots.find(({ active }) => !active);
  return idle === undefined
    ? checked(name, true, { code: 'slots', count: slots.length })
    : checked(name, 'warning', { code: 'idle-slot', slot: idle.name, mib: idle.mib ?? 0 });
}

function failureOf({ name: slot, active, status, mib, age }: Slot): CheckFinding | null {
  if (status === 'lost' || status === 'unreserved') return { code: 'lost-slot', slot };
  if (age !== null && age > MAX_HELD_BACK) return { code: 'old-slot', slot, active, millions: millions(age) };
  return mib !== null && mib > MAX_KEPT_MIB ? { code: 'large-slot', slot, active, mib } : null;
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
  if (standbys === 0) return checked(name, true, { code: 'no-feedback' });
  if (age !== null && age > MAX_HELD_BACK)
    return checked(name, false, { code: 'old-feedback', standby: row?.name ?? '', millions: millions(age) });
  if (hidden > 0) return checked(name, true, { code: 'hidden-feedback' });
  return checked(
    name,
    true,
    age === null ? { code: 'verbatim', text: 'none' } : { code: 'feedback', millions: millions(age) },
  );
}

function millions(transactions: number): string {
  return (transactions / 1e6).toFixed(1);
}
