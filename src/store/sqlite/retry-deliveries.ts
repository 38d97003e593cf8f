import type { LaneOrder } from '../route.ts';
import type { Connection } from './connection.ts';
import { rowId, rowOf } from './ids.ts';
import type { LaneRows } from './lane-rows.ts';
import { prepare, type Named } from './statement.ts';
import type { WaitingDeliveries } from './waiting-deliveries.ts';

/** Makes dead deliveries pending again. To be called inside a transaction. */
export type RetryDeliveries = (ids: readonly string[], now: number) => readonly string[];

/**
 * A lane takes its deliveries by number, and a dead one's is lower than those
 * of all that still wait, unless they were retried as well: it comes back to
 * its place by itself.
 */
export function createRetryDeliveries(
  { database, query }: Connection,
  { lanes, waiting }: { readonly lanes: LaneRows; readonly waiting: Pick<WaitingDeliveries, 'head'> },
): RetryDeliveries {
  const find = prepare(database, (p: Named<{ id: number }>) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select([
        'deliveries.handler',
        'deliveries.lane_order',
        'deliveries.event_id',
        'deliveries.replay_id',
        'events.subject_id',
      ])
      .where('deliveries.id', '=', p.id)
      .where('deliveries.status', '=', 'dead'),
  );
  const revive = prepare(database, (p: Named<{ id: number; lane: number }>) =>
    query
      .updateTable('deliveries')
      .set({
        status: 'pending',
        attempts: 0,
        finished_at: null,
        lane_id: p.lane,
        due_at: null,
        asked_at: null,
      })
      .where('id', '=', p.id),
  );

  function retry(id: number | undefined, now: number): boolean {
    const row = id === undefined ? undefined : find.get({ id });
    if (id === undefined || row === undefined) return false;
    const lane = lanes.open(
      {
        handler: row.handler,
        order: row.lane_order as LaneOrder,
        subjectId: row.subject_id,
        eventId: row.event_id,
        replayId: row.replay_id,
      },
      now,
    );
    revive.run({ id, lane });
    // Behind another it waits as that one does.
    if (waiting.head(lane)?.id === id) lanes.hurry(lane, now);
    return true;
  }

  return (ids, now) =>
    ids
      .map((id) => rowOf('d', id))
      .filter((id): id is number => retry(id, now))
      .map((id) => rowId('d', id));
}
