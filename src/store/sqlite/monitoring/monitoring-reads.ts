/** Reads what `record-monitoring.ts` has written, and counts events that nobody has counted. */
import type { Monitoring, MonitoringState, ReceivedKind } from '../../monitoring.ts';
import type { Connection } from '../sql/connection.ts';
import { MAX_COUNTED_BY_READ, receivedKinds } from '../../shared/monitoring/received-kinds.ts';
import { rowId } from '../../shared/ids.ts';
import { readActivity } from './activity-records.ts';
import { arrivalsBetween, countedThrough, newestEvent } from './arrivals.ts';

export function createMonitoringReads(connection: Connection): Omit<Monitoring, 'recordMonitoring'> {
  const { query } = connection;

  async function readState(): Promise<MonitoringState> {
    const counted = await countedThrough(connection);
    const newest = await newestEvent(connection);
    const from = Math.max(counted, newest - MAX_COUNTED_BY_READ);
    const store = await query.selectFrom('store').select('created_at').executeTakeFirst();
    const waiting = await query
      .selectFrom('alerts')
      .select(({ fn }) => fn.countAll<number>().as('alerts'))
      .executeTakeFirst();
    return {
      createdAt: store?.created_at ?? 0,
      received: await received(from, newest),
      uncounted: from - counted,
      openBreakers: await query.selectFrom('open_breakers').selectAll().orderBy('handler').execute(),
      rejections: await query.selectFrom('rejection_counts').selectAll().orderBy('hour').execute(),
      problems: (await query.selectFrom('problems').selectAll().orderBy('key').execute()).map((row) => ({
        key: row.key,
        beganAt: row.began_at,
        report: row.report,
      })),
      waitingAlerts: waiting?.alerts ?? 0,
    };
  }

  async function received(from: number, newest: number): Promise<readonly ReceivedKind[]> {
    const rows = await query.selectFrom('received_counts').selectAll().execute();
    return receivedKinds(rows, await arrivalsBetween(connection, from, newest));
  }

  return {
    async uncountedArrivals(limit) {
      const after = await countedThrough(connection);
      const newest = await newestEvent(connection);
      const through = Math.min(after + limit, Math.max(after, newest));
      const arrivals = await arrivalsBetween(connection, after, through);
      return { after, through, more: through < newest, arrivals };
    },
    hourlyCounts: (since) =>
      query
        .selectFrom('hourly_counts')
        .selectAll()
        .where('hour', '>=', since)
        .orderBy('hour')
        .orderBy('source')
        .orderBy('kind')
        .execute(),
    monitoring: readState,
    serverMove: () => Promise.resolve(null),
    activity: (since, stepMs) => Promise.resolve(readActivity(connection, since, stepMs)),
    async nextAlert() {
      const row = await query.selectFrom('alerts').selectAll().orderBy('id').limit(1).executeTakeFirst();
      if (row === undefined) return null;
      const { id, body, attempts, due_at: dueAt, last_error: lastError } = row;
      return { id: rowId('a', id), body, attempts, dueAt, lastError };
    },
  };
}
