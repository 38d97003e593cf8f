/** Stores and reads the counts that charts show. */
import { DAY_MS } from '../../../kernel/time/durations.ts';
import {
  KEPT_ACTIVITY_DAYS,
  type Activity,
  type ActivityRecord,
  type HandlerActivity,
} from '../../activity.ts';
import { activityBySteps, withDurations } from '../../shared/monitoring/activity-steps.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import type { Connection } from '../sql/connection.ts';
import { rowsNow, runNow } from '../sql/statement.ts';

/** Adds a part of a span to what is known of it, and drops spans that are too old. Called inside a transaction. */
export function addActivity(connection: Connection, record: ActivityRecord): void {
  const { database, query } = connection;
  const { at, received, backlog, oldestMs } = record;
  runNow(
    database,
    query
      .insertInto('activity')
      .values({ at, received, backlog, oldest_ms: oldestMs })
      .onConflict((conflict) =>
        conflict.column('at').doUpdateSet((eb) => ({
          received: eb('activity.received', '+', eb.ref('excluded.received')),
          backlog: eb.fn<number>('max', ['activity.backlog', 'excluded.backlog']),
          oldest_ms: eb.fn<number>('max', ['activity.oldest_ms', 'excluded.oldest_ms']),
        })),
      ),
  );
  for (const handler of record.handlers) addHandler(connection, at, handler);
  const oldest = at - KEPT_ACTIVITY_DAYS * DAY_MS;
  runNow(database, query.deleteFrom('activity').where('at', '<', oldest));
  runNow(database, query.deleteFrom('handler_activity').where('at', '<', oldest));
}

function addHandler({ database, query }: Connection, at: number, added: HandlerActivity): void {
  const { handler } = added;
  const known = rowsNow<{ durations: string }>(
    database,
    query
      .selectFrom('handler_activity')
      .select('durations')
      .where('at', '=', at)
      .where('handler', '=', handler),
  )[0];
  const durations = withDurations(known?.durations, added.durations);
  const { succeeded, failed, dead, skipped, breakerMs: breaker_ms } = added;
  runNow(
    database,
    query
      .insertInto('handler_activity')
      .values({ at, handler, succeeded, failed, dead, skipped, breaker_ms, durations })
      .onConflict((conflict) =>
        conflict.columns(['at', 'handler']).doUpdateSet((eb) => ({
          succeeded: eb('handler_activity.succeeded', '+', eb.ref('excluded.succeeded')),
          failed: eb('handler_activity.failed', '+', eb.ref('excluded.failed')),
          dead: eb('handler_activity.dead', '+', eb.ref('excluded.dead')),
          skipped: eb('handler_activity.skipped', '+', eb.ref('excluded.skipped')),
          breaker_ms: eb('handler_activity.breaker_ms', '+', eb.ref('excluded.breaker_ms')),
          durations: eb.ref('excluded.durations'),
        })),
      ),
  );
}

/** Reads the activity from `since` on, by steps of `stepMs` milliseconds that begin at multiples of it. */
export function readActivity({ database, query }: Connection, since: number, stepMs: number): Activity {
  const spans = rowsNow<{ at: number; received: number; backlog: number; oldest_ms: number }>(
    database,
    query.selectFrom('activity').selectAll().where('at', '>=', since).orderBy('at'),
  );
  const rows = rowsNow<DatabaseSchema['handler_activity']>(
    database,
    query.selectFrom('handler_activity').selectAll().where('at', '>=', since).orderBy('at'),
  );
  return activityBySteps(spans, rows, stepMs);
}
