/** Records what monitoring has found. */
import { sql } from 'kysely';
import type { MonitoringRecord } from '../../monitoring.ts';
import { rowOf } from '../ids.ts';
import { larger, smaller } from '../sql/dialect.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { rows, run, type Write } from '../sql/statements.ts';
import { addActivity } from './activity-records.ts';
import { pruneLooks, replaceLook } from './looks.ts';
import { KEPT_HOURS, KEPT_REJECTION_HOURS } from './received-kinds.ts';

/** The newest outages that are kept. */
const KEPT_OUTAGES = 20;

export type RecordOf<Name extends MonitoringRecord['record']> = Extract<MonitoringRecord, { record: Name }>;

/** The records that say which process they are of, where several share a store. */
export interface ProcessRecords {
  /** Replaces the open breakers of this process. */
  readonly replaceBreakers: (record: RecordOf<'breakers'>) => Write<boolean>;
  /** Lets an alert wait. Returns false when it is unknown, or another process has it. */
  readonly alertFailed: (record: RecordOf<'alert-failed'>) => Write<boolean>;
}

export function createMonitoringWrites(
  { dialect }: SharedConnection,
  { replaceBreakers, alertFailed }: ProcessRecords,
) {
  /** The row of `counted_events` decides which of several processes counts a run: it is changed once from `after`. */
  function* countArrivals({ after, through, arrivals }: RecordOf<'arrivals'>): Write<boolean> {
    const moved = yield* run(sql`update counted_events set through = ${through} where through = ${after}`);
    if (moved === 0) return false;
    const oldestHour = Math.max(0, ...arrivals.map(({ hour }) => hour)) - KEPT_HOURS;
    const table = dialect.tableOf('arrivals', arrivals, {
      source: ['text', ({ source }) => source],
      kind: ['text', ({ kind }) => kind],
      recognized: ['bigint', ({ recognized }) => (recognized ? 1 : 0)],
      hour: ['bigint', ({ hour }) => hour],
      events: ['bigint', ({ events }) => events],
      first: ['bigint', ({ firstReceivedAt }) => firstReceivedAt],
      last: ['bigint', ({ lastReceivedAt }) => lastReceivedAt],
    });
    // Senders can invent kinds: only those of the contract have counts by hour.
    yield* run(sql`
      insert into hourly_counts as known (hour, source, kind, events)
      select hour, source, kind, sum(events) from ${table}
      where recognized = 1 and hour >= ${oldestHour} group by hour, source, kind
      on conflict (hour, source, kind) do update set events = known.events + excluded.events`);
    yield* run(sql`
      insert into received_counts as known (source, kind, recognized, events, first_received_at, last_received_at)
      select source, kind, max(recognized), sum(events), min(first), max(last) from ${table}
      where true group by source, kind
      on conflict (source, kind) do update set
        recognized = ${larger('known.recognized', 'excluded.recognized')},
        events = known.events + excluded.events,
        first_received_at = ${smaller('known.first_received_at', 'excluded.first_received_at')},
        last_received_at = ${larger('known.last_received_at', 'excluded.last_received_at')}`);
    yield* run(sql`delete from hourly_counts where hour < ${oldestHour}`);
    return true;
  }

  function* addRejections({ rejections }: RecordOf<'rejections'>): Write<boolean> {
    // In the order of the key, in which every process locks the rows.
    yield* run(sql`
      insert into rejection_counts as known (hour, source, rejections, last_reason, clock_seconds)
      select hour, source, rejections, last_reason, clock_seconds from ${dialect.tableOf(
        'added',
        rejections,
        {
          hour: ['bigint', ({ hour }) => hour],
          source: ['text', ({ source }) => source],
          rejections: ['bigint', (one) => one.rejections],
          last_reason: ['text', ({ lastReason }) => lastReason],
          clock_seconds: ['bigint', ({ clockSeconds }) => clockSeconds],
        },
      )}
      where true order by hour, source
      on conflict (hour, source) do update set
        rejections = known.rejections + excluded.rejections,
        last_reason = excluded.last_reason,
        clock_seconds = excluded.clock_seconds`);
    const newestHour = Math.max(0, ...rejections.map(({ hour }) => hour));
    yield* run(sql`delete from rejection_counts where hour < ${newestHour - KEPT_REJECTION_HOURS}`);
    return true;
  }

  function* addObserved({ observed }: RecordOf<'observed'>): Write<void> {
    yield* run(sql`
      insert into observed_counts as known (hour, source, scheme, webhooks)
      select hour, source, scheme, webhooks from ${dialect.tableOf('added', observed, {
        hour: ['bigint', ({ hour }) => hour],
        source: ['text', ({ source }) => source],
        scheme: ['text', ({ scheme }) => scheme],
        webhooks: ['bigint', ({ webhooks }) => webhooks],
      })}
      where true order by hour, source, scheme
      on conflict (hour, source, scheme) do update set webhooks = known.webhooks + excluded.webhooks`);
    const newestHour = Math.max(0, ...observed.map(({ hour }) => hour));
    yield* run(sql`delete from observed_counts where hour < ${newestHour - KEPT_REJECTION_HOURS}`);
  }

  /**
   * Records what no other process has recorded: a problem that is known does not begin again, and one that is gone does
   * not end again. The alerts are about those that began and then those that ended, in order, and share their fate.
   */
  function* changeProblems({ begun, ended, alerts, now }: RecordOf<'problems'>): Write<boolean> {
    const gone = yield* rows(
      sql<{ key: string }>`delete from problems where ${dialect.isAnyOf('key', ended, 'text')} returning key`,
    );
    const began = yield* rows(
      sql<{ key: string }>`
        insert into problems (key, began_at, report)
        select key, began_at, report from ${dialect.tableOf('begun', begun, {
          key: ['text', ({ key }) => key],
          began_at: ['bigint', ({ beganAt }) => beganAt],
          report: ['text', ({ report }) => report],
        })}
        where true order by key on conflict (key) do nothing returning key`,
    );
    const [isNew, isGone] = [keysOf(began), keysOf(gone)];
    const changes = [...begun.map(({ key }) => isNew.has(key)), ...ended.map((key) => isGone.has(key))];
    const hasChanged = changes.length === 0 || changes.includes(true);
    const bodies = alerts.filter((_, at) => changes[at] ?? hasChanged);
    // One by one, so that their numbers are in order.
    for (const body of bodies) yield* run(sql`insert into alerts (body, due_at) values (${body}, ${now})`);
    return hasChanged;
  }

  function* addOutage({ cause, beganAt, endedAt, handler, refused }: RecordOf<'outage'>): Write<void> {
    // On PostgreSQL, it lets processes that come back together record one after the other.
    yield* run(sql`update counted_events set through = through`);
    const isKnown = yield* run(sql`
      update outages set
        began_at = ${smaller('began_at', String(beganAt))},
        ended_at = ${larger('ended_at', String(endedAt))},
        refused = refused + ${refused}
      where cause = ${cause} and cause = 'store' and began_at <= ${endedAt} and ended_at >= ${beganAt}`);
    if (isKnown === 0)
      yield* run(sql`
        insert into outages (cause, began_at, ended_at, handler, refused)
        values (${cause}, ${beganAt}, ${endedAt}, ${handler}, ${refused}) on conflict do nothing`);
    yield* run(sql`
      delete from outages where began_at < (
        select min(began_at) from (select began_at from outages order by began_at desc limit ${KEPT_OUTAGES}) as newest)`);
  }

  return {
    /** As `Monitoring.recordMonitoring`. */
    *recordMonitoring(record: MonitoringRecord): Write<boolean> {
      switch (record.record) {
        case 'arrivals':
          return yield* countArrivals(record);
        case 'breakers':
          return yield* replaceBreakers(record);
        case 'rejections':
          return yield* addRejections(record);
        case 'observed':
          yield* addObserved(record);
          return true;
        case 'problems':
          return yield* changeProblems(record);
        case 'alert-sent':
          return (yield* run(sql`delete from alerts where id = ${rowOf('a', record.id) ?? 0}`)) > 0;
        case 'alert-failed':
          return yield* alertFailed(record);
        case 'look':
          yield* replaceLook(dialect, record);
          return true;
        case 'looks-pruned':
          yield* pruneLooks(record.before);
          return true;
        case 'outage':
          yield* addOutage(record);
          return true;
        case 'activity':
          yield* addActivity(record);
          return true;
      }
    },
  };
}

function keysOf(found: readonly { readonly key: string }[]): ReadonlySet<string> {
  return new Set(found.map(({ key }) => key));
}
