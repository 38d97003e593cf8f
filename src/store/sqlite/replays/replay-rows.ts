import { PortariaError } from '../../../kernel/errors.ts';
import type { ReplayRecord } from '../../replays.ts';
import type { Connection } from '../sql/connection.ts';
import type { EnqueueBatch } from '../deliveries/enqueue-batch.ts';
import { rowId, rowOf } from '../sql/ids.ts';
import type { ReplayBatch } from './replay-batches.ts';
import { runNow } from '../sql/run-now.ts';

export type NewReplay = Pick<ReplayRecord, 'filter' | 'handlers' | 'ifNotSucceeded' | 'target'>;

/** Writes of replays. To be called inside a transaction. */
export interface ReplayRows {
  create(replay: NewReplay, now: number): ReplayRecord;
  /** @throws PortariaError `not-found` when there is no such replay or event. */
  enqueue(
    id: string,
    batches: readonly ReplayBatch[],
    options: { readonly cursor: string; readonly now: number },
  ): void;
  /** @throws PortariaError `not-found` */
  finish(id: string): void;
}

export function createReplayRows(
  { database, query, ids }: Connection,
  enqueueBatch: EnqueueBatch,
): ReplayRows {
  const fullId = (event: string): string => {
    const number = ids.eventRow(event);
    return number === undefined ? event : ids.event(number);
  };

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
    enqueue(id, batches, { cursor, now }) {
      const replayId = rowOf('r', id) ?? 0;
      const moved = runNow(
        database,
        query
          .updateTable('replays')
          .set({ cursor: fullId(cursor) })
          .where('id', '=', replayId),
      );
      if (moved.changes === 0) throw new PortariaError('not-found', `there is no replay ${id}`);
      for (const batch of batches) enqueueBatch(replayId, batch, now);
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
