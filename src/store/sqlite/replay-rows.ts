import { PortariaError } from '../../kernel/errors.ts';
import type { ReplayDelivery, ReplayRecord } from '../replays.ts';
import type { Connection } from './connection.ts';
import type { EnqueueDelivery } from './enqueue-delivery.ts';
import { rowId, rowOf } from './ids.ts';
import { runNow } from './run-now.ts';
import { prepare, type Named } from './statement.ts';

export type NewReplay = Pick<ReplayRecord, 'filter' | 'handlers' | 'ifNotSucceeded' | 'target'>;

/** Writes of replays. To be called inside a transaction. */
export interface ReplayRows {
  create(replay: NewReplay, now: number): ReplayRecord;
  /** @throws PortariaError `not-found` when there is no such replay or event. */
  enqueue(
    id: string,
    deliveries: readonly ReplayDelivery[],
    options: { readonly cursor: string; readonly now: number },
  ): void;
  /** @throws PortariaError `not-found` */
  finish(id: string): void;
}

export function createReplayRows(
  { database, query, ids }: Connection,
  enqueueDelivery: EnqueueDelivery,
): ReplayRows {
  const event = prepare(database, (p: Named<{ id: number }>) =>
    query.selectFrom('events').select(['id', 'subject_id', 'verdict']).where('id', '=', p.id),
  );

  function enqueueOne(replayId: number, { eventId, route }: ReplayDelivery, now: number): void {
    const number = ids.eventRow(eventId);
    const row = number === undefined ? undefined : event.get({ id: number });
    if (row === undefined) throw new PortariaError('not-found', `there is no event ${eventId}`);
    const { handler, order } = route;
    enqueueDelivery(
      {
        eventId: row.id,
        subjectId: row.subject_id,
        handler,
        order,
        replayId,
        ...(row.verdict === 'stale' && !route.stale ? { skip: 'stale' } : {}),
      },
      now,
    );
  }

  return {
    create(replay, now) {
      const row = runNow(
        database,
        query.insertInto('replays').values({
          created_at: now,
          filter: JSON.stringify(replay.filter),
          handlers: JSON.stringify(replay.handlers),
          if_not_succeeded: replay.ifNotSucceeded ? 1 : 0,
          target: replay.target,
          status: 'running',
          cursor: null,
        }),
      );
      const id = rowId('r', Number(row.lastInsertRowid));
      return { ...replay, id, createdAt: now, status: 'running', cursor: null };
    },
    enqueue(id, deliveries, { cursor, now }) {
      const replayId = rowOf('r', id) ?? 0;
      const moved = runNow(database, query.updateTable('replays').set({ cursor }).where('id', '=', replayId));
      if (moved.changes === 0) throw new PortariaError('not-found', `there is no replay ${id}`);
      for (const delivery of deliveries) enqueueOne(replayId, delivery, now);
    },
    finish(id) {
      const finished = runNow(
        database,
        query
          .updateTable('replays')
          .set({ status: 'finished' })
          .where('id', '=', rowOf('r', id) ?? 0),
      );
      if (finished.changes === 0) throw new PortariaError('not-found', `there is no replay ${id}`);
    },
  };
}
