/** Records what monitoring has found. */
import { sql } from 'kysely';
import type { Monitoring, MonitoringRecord } from '../../monitoring.ts';
import { KEPT_HOURS, KEPT_REJECTION_HOURS } from '../../shared/monitoring/received-kinds.ts';
import type { Connection } from '../sql/connection.ts';
import { arrayOf, insertOf, isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { addActivity } from './activity-records.ts';
import type { Alerts } from './alerts.ts';

type RecordOf<Name extends MonitoringRecord['record']> = Extract<MonitoringRecord, { record: Name }>;

export function createRecordMonitoring(
  { transact, lease }: Connection,
  alerts: Pick<Alerts, 'sent' | 'failed'>,
): Pick<Monitoring, 'recordMonitoring'> {
  async function record(session: Session, all: MonitoringRecord): Promise<boolean> {
    switch (all.record) {
      case 'arrivals':
        return countArrivals(session, all);
      case 'breakers':
        return replaceBreakers(session, lease?.holder() ?? 0, all);
      case 'rejections':
        return addRejections(session, all);
      case 'problems':
        return changeProblems(session, all);
      case 'alert-sent':
        return alerts.sent(session, all.id);
      case 'alert-failed':
        return alerts.failed(session, all);
      case 'activity':
        await addActivity(session, all);
        return true;
    }
  }
  return { recordMonitoring: (all) => transact(({ session }) => record(session, all)) };
}

/** The row of `counted_events` decides which of several processes counts a run: it is changed once from `after`. */
async function countArrivals(
  session: Session,
  { after, through, arrivals }: RecordOf<'arrivals'>,
): Promise<boolean> {
  const moved = await session.run(
    sql`update counted_events set through = ${through} where through = ${after}`,
  );
  if (moved === 0) return false;
  const oldestHour = Math.max(0, ...arrivals.map(({ hour }) => hour)) - KEPT_HOURS;
  // Senders can invent kinds: only those of the contract have counts by hour.
  await session.run(sql`
    with arrivals as materialized (
      select * from ${unnestOf('arrivals', arrivals, {
        source: ['text', ({ source }) => source],
        kind: ['text', ({ kind }) => kind],
        recognized: ['bigint', ({ recognized }) => (recognized ? 1 : 0)],
        hour: ['bigint', ({ hour }) => hour],
        events: ['bigint', ({ events }) => events],
        first: ['bigint', ({ firstReceivedAt }) => firstReceivedAt],
        last: ['bigint', ({ lastReceivedAt }) => lastReceivedAt],
      })}
    ), by_hour as (
      insert into hourly_counts as known (hour, source, kind, events)
      select hour, source, kind, sum(events) from arrivals
      where recognized = 1 and hour >= ${oldestHour} group by hour, source, kind
      on conflict (hour, source, kind) do update set events = known.events + excluded.events
    )
    insert into received_counts as known (source, kind, recognized, events, first_received_at, last_received_at)
    select source, kind, max(recognized), sum(events), min(first), max(last) from arrivals group by source, kind
    on conflict (source, kind) do update set
      recognized = greatest(known.recognized, excluded.recognized),
      events = known.events + excluded.events,
      first_received_at = least(known.first_received_at, excluded.first_received_at),
      last_received_at = greatest(known.last_received_at, excluded.last_received_at)`);
  await session.run(sql`delete from hourly_counts where hour < ${oldestHour}`);
  return true;
}

/** Replaces the breakers of this process, and removes those of processes that have ended. */
async function replaceBreakers(
  session: Session,
  holder: number,
  { open, now }: RecordOf<'breakers'>,
): Promise<boolean> {
  // A guest dispatches nothing. A process that has lost its lease records them again when they change.
  if (holder === 0) return false;
  const handlers = open.map(({ handler }) => handler);
  await session.run(sql`
    delete from open_breakers
    where (holder = ${holder} and handler <> all(${arrayOf(handlers, 'text')})) or holder not in (select leases.holder from leases)`);
  await session.run(sql`
    insert into open_breakers (holder, handler, since, until, reason)
    select ${holder}::bigint, handler, ${now}::bigint, until, reason
    from ${unnestOf('open', open, {
      handler: ['text', ({ handler }) => handler],
      until: ['bigint', ({ until }) => until],
      reason: ['text', ({ reason }) => reason],
    })}
    on conflict (holder, handler) do update set until = excluded.until, reason = excluded.reason`);
  return true;
}

async function addRejections(session: Session, { rejections }: RecordOf<'rejections'>): Promise<boolean> {
  // In the order of the key, in which every process locks the rows.
  await session.run(sql`
    insert into rejection_counts as known (hour, source, rejections)
    select hour, source, sum(rejections) from ${unnestOf('added', rejections, {
      hour: ['bigint', ({ hour }) => hour],
      source: ['text', ({ source }) => source],
      rejections: ['bigint', (one) => one.rejections],
    })}
    group by hour, source order by hour, source
    on conflict (hour, source) do update set rejections = known.rejections + excluded.rejections`);
  const newestHour = Math.max(0, ...rejections.map(({ hour }) => hour));
  await session.run(sql`delete from rejection_counts where hour < ${newestHour - KEPT_REJECTION_HOURS}`);
  return true;
}

/**
 * Records what no other process has recorded: a problem that is known does not begin again, and one that is gone does not
 * end again. The alerts are about those that began and then those that ended, in order, and share their fate.
 */
async function changeProblems(
  session: Session,
  { begun, ended, alerts, now }: RecordOf<'problems'>,
): Promise<boolean> {
  const gone = await session.rows(
    sql<{ key: string }>`delete from problems where ${isAnyOf('key', ended, 'text')} returning key`,
  );
  const sorted = begun.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const began = await session.rows(
    sql<{ key: string }>`
      ${insertOf('problems', sorted, {
        key: ['text', ({ key }) => key],
        began_at: ['bigint', ({ beganAt }) => beganAt],
        report: ['text', ({ report }) => report],
      })}
      on conflict (key) do nothing returning key`,
  );
  const [isNew, isGone] = [keysOf(began), keysOf(gone)];
  const changes = [...begun.map(({ key }) => isNew.has(key)), ...ended.map((key) => isGone.has(key))];
  const hasChanged = changes.length === 0 || changes.includes(true);
  const bodies = alerts.filter((_, at) => changes[at] ?? hasChanged);
  // One by one, so that their numbers are in order.
  for (const body of bodies)
    await session.run(sql`insert into alerts (body, due_at) values (${body}, ${now})`);
  return hasChanged;
}

function keysOf(rows: readonly { readonly key: string }[]): ReadonlySet<string> {
  return new Set(rows.map(({ key }) => key));
}
