/** The checks of `doctor` that compare the rows of a store with each other. */
import { sql, type RawBuilder } from 'kysely';
import { countOf } from '../../../../kernel/text/count.ts';
import { NO_HEAD } from '../../../shared/deliveries/head-values.ts';
import { checked, type StoreCheck } from '../../../checks.ts';
import type { Session } from '../../sql/session.ts';

/** Checks what this program itself promises about its rows. Each statement reads one state of the database. */
export async function integrityChecks(session: Session): Promise<readonly StoreCheck[]> {
  return [
    await check(session, 'lanes', lanesWithoutHead, {
      ok: 'every lane that waits has one delivery to run next',
      wrong: (count) =>
        `${countOf(count, 'lane')} stuck, because not exactly one delivery is marked as the next: report this`,
    }),
    await check(session, 'leases', runningWithoutLease, {
      ok: 'every running delivery has a process',
      wrong: (count) =>
        `${countOf(count, 'running delivery', 'running deliveries')} of no process: restart one, which takes them over`,
    }),
    await check(session, 'counts', wrongCounts, {
      ok: 'the counts of events and deliveries are those of the rows',
      wrong: (count) => `${countOf(count, 'count')} that the rows do not have: report this`,
    }),
  ];
}

async function check(
  session: Session,
  name: string,
  query: RawBuilder<{ wrong: number }>,
  text: { readonly ok: string; readonly wrong: (count: number) => string },
): Promise<StoreCheck> {
  const row = await session.first(query);
  const wrong = row?.wrong ?? 0;
  return checked(name, wrong === 0, { code: 'verbatim', text: wrong === 0 ? text.ok : text.wrong(wrong) });
}

/** A lane whose delivery runs has no head; any other one with deliveries has one. */
const lanesWithoutHead = sql<{ wrong: number }>`
  select count(*) as wrong from (
    select from deliveries where finished_at is null group by handler, lane
    having count(*) filter (where status = 'running' or head <> ${sql.lit(NO_HEAD)}) <> 1
  ) as lanes`;

const runningWithoutLease = sql<{ wrong: number }>`
  select count(*) as wrong from deliveries
  where finished_at is null and status = 'running'
    and not exists (select from leases where leases.holder = deliveries.holder)`;

const wrongCounts = sql<{ wrong: number }>`
  select count(*) as wrong from (
    select from (
      select handler, status, deliveries as counted, 0 as stored from delivery_counts
      union all
      select handler, status, 0, count(*) from deliveries group by handler, status
    ) as deliveries
    group by handler, status having sum(counted) <> sum(stored)
    union all
    select from (
      select verdict, events as counted, 0 as stored from event_counts
      union all
      select verdict, 0, count(*) from events group by verdict
    ) as events
    group by verdict having sum(counted) <> sum(stored)
  ) as wrong`;
