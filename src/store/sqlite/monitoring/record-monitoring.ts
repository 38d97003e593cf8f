/** Stores what the watch over sources and kinds has seen. */
import type { MonitoringRecord, UncountedArrivals } from '../../monitoring.ts';
import type { Connection } from '../sql/connection.ts';
import { KEPT_HOURS, KEPT_REJECTION_HOURS } from '../../shared/monitoring/received-kinds.ts';
import { rowOf } from '../../shared/ids.ts';
import { prepare, runNow, type Named } from '../sql/statement.ts';
import { addActivity } from './activity-records.ts';

/** Records what `Monitoring.recordMonitoring` documents. Called inside a transaction. */
export type RecordMonitoring = (record: MonitoringRecord) => boolean;

type RecordOf<Name extends MonitoringRecord['record']> = Extract<MonitoringRecord, { record: Name }>;

/** Rare writes: statements are compiled when they run, those for arrivals at the first one. */
export function createRecordMonitoring(connection: Connection): RecordMonitoring {
  const { database, query } = connection;
  let addArrival: AddArrival | undefined;

  function countArrivals({ after, through, arrivals }: RecordOf<'arrivals'>): boolean {
    const moved = runNow(
      database,
      query.updateTable('counted_events').set({ through }).where('through', '=', after),
    );
    if (moved.changes === 0) return false;
    const newestHour = Math.max(0, ...arrivals.map(({ hour }) => hour));
    const oldestHour = newestHour - KEPT_HOURS;
    addArrival ??= prepareArrivals(connection);
    for (const arrival of arrivals) addArrival(arrival, oldestHour);
    runNow(database, query.deleteFrom('hourly_counts').where('hour', '<', oldestHour));
    return true;
  }

  function replaceBreakers({ open, now }: RecordOf<'breakers'>): boolean {
    const handlers = open.map(({ handler }) => handler);
    runNow(
      database,
      query
        .deleteFrom('open_breakers')
        .$if(handlers.length > 0, (rows) => rows.where('handler', 'not in', handlers)),
    );
    for (const { handler, until, reason } of open)
      runNow(
        database,
        query
          .insertInto('open_breakers')
          .values({ handler, since: now, until, reason })
          .onConflict((conflict) => conflict.column('handler').doUpdateSet({ until, reason })),
      );
    return true;
  }

  function addRejections({ rejections }: RecordOf<'rejections'>): boolean {
    for (const { hour, source, rejections: count } of rejections)
      runNow(
        database,
        query
          .insertInto('rejection_counts')
          .values({ hour, source, rejections: count })
          .onConflict((conflict) =>
            conflict.columns(['hour', 'source']).doUpdateSet((eb) => ({
              rejections: eb('rejection_counts.rejections', '+', eb.ref('excluded.rejections')),
            })),
          ),
      );
    const newestHour = Math.max(0, ...rejections.map(({ hour }) => hour));
    runNow(
      database,
      query.deleteFrom('rejection_counts').where('hour', '<', newestHour - KEPT_REJECTION_HOURS),
    );
    return true;
  }

  function changeProblems({ begun, ended, alerts, now }: RecordOf<'problems'>): boolean {
    for (const key of ended) runNow(database, query.deleteFrom('problems').where('key', '=', key));
    for (const { key, beganAt, report } of begun)
      runNow(database, query.replaceInto('problems').values({ key, began_at: beganAt, report }));
    for (const body of alerts) runNow(database, query.insertInto('alerts').values({ body, due_at: now }));
    return true;
  }

  function rescheduleAlert({ id, dueAt, reason }: RecordOf<'alert-failed'>): boolean {
    const changed = runNow(
      database,
      query
        .updateTable('alerts')
        .set((eb) => ({ attempts: eb('attempts', '+', 1), due_at: dueAt, last_error: reason }))
        .where('id', '=', rowOf('a', id) ?? 0),
    );
    return changed.changes > 0;
  }

  return (record) => {
    switch (record.record) {
      case 'arrivals':
        return countArrivals(record);
      case 'breakers':
        return replaceBreakers(record);
      case 'rejections':
        return addRejections(record);
      case 'problems':
        return changeProblems(record);
      case 'alert-sent': {
        const id = rowOf('a', record.id) ?? 0;
        return runNow(database, query.deleteFrom('alerts').where('id', '=', id)).changes > 0;
      }
      case 'alert-failed':
        return rescheduleAlert(record);
      case 'activity':
        addActivity(connection, record);
        return true;
    }
  };
}

type AddArrival = (arrival: UncountedArrivals['arrivals'][number], oldestHour: number) => void;

interface ArrivalRow {
  source: string;
  kind: string;
  recognized: number;
  events: number;
  first: number;
  last: number;
}

/** A run of old events has hundreds of sums, and its transaction makes others wait: so these are prepared. */
function prepareArrivals({ database, query }: Connection): AddArrival {
  const addReceived = prepare(database, (p: Named<ArrivalRow>) =>
    query
      .insertInto('received_counts')
      .values({
        source: p.source,
        kind: p.kind,
        recognized: p.recognized,
        events: p.events,
        first_received_at: p.first,
        last_received_at: p.last,
      })
      .onConflict((conflict) =>
        conflict.columns(['source', 'kind']).doUpdateSet((eb) => ({
          recognized: eb.fn<number>('max', ['received_counts.recognized', 'excluded.recognized']),
          events: eb('received_counts.events', '+', eb.ref('excluded.events')),
          first_received_at: eb.fn<number>('min', [
            'received_counts.first_received_at',
            'excluded.first_received_at',
          ]),
          last_received_at: eb.fn<number>('max', [
            'received_counts.last_received_at',
            'excluded.last_received_at',
          ]),
        })),
      ),
  );
  const addHour = prepare(
    database,
    (p: Named<{ hour: number; source: string; kind: string; events: number }>) =>
      query
        .insertInto('hourly_counts')
        .values({ hour: p.hour, source: p.source, kind: p.kind, events: p.events })
        .onConflict((conflict) =>
          conflict.columns(['hour', 'source', 'kind']).doUpdateSet((eb) => ({
            events: eb('hourly_counts.events', '+', eb.ref('excluded.events')),
          })),
        ),
  );
  return ({ source, kind, hour, events, recognized, firstReceivedAt, lastReceivedAt }, oldestHour) => {
    addReceived.run({
      source,
      kind,
      recognized: recognized ? 1 : 0,
      events,
      first: firstReceivedAt,
      last: lastReceivedAt,
    });
    // Senders can invent kinds: only those of the contract have counts by hour.
    if (recognized && hour >= oldestHour) addHour.run({ hour, source, kind, events });
  };
}
