/** Stores and reads replays. */
import type { NewReplay, ReplayRecord, Replays } from '../../replays.ts';
import type { EnqueueBatch, ReplayBatch } from '../deliveries/enqueue-batch.ts';
import { noReplay, NO_PROGRESS, replayRecord } from '../../shared/replays/replay-record.ts';
import type { Connection } from '../sql/connection.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { runNow } from '../sql/statement.ts';

/** Writes the records of replays. Called inside a transaction. */
export interface ReplayWrites {
  create(replay: NewReplay, now: number): ReplayRecord;
  /** @throws PortariaError `not-found` for an unknown replay or event. */
  enqueue(
    id: string,
    batches: readonly ReplayBatch[],
    options: Parameters<Replays['enqueueReplay']>[2],
  ): void;
  /** @throws PortariaError `not-found` */
  finish(id: string): void;
}

export function createReplayWrites(
  { database, query, ids }: Connection,
  enqueueBatch: EnqueueBatch,
): ReplayWrites {
  const fullId = (event: string): string => {
    const number = ids.eventRow(event);
    return number === undefined ? event : ids.event(number);
  };

  const count = (replayId: number, status: string, events: number): void => {
    const row = query.insertInto('replay_counts').values({ replay_id: replayId, status, deliveries: events });
    const added = row.onConflict((on) =>
      on.columns(['replay_id', 'status']).doUpdateSet((eb) => ({
        deliveries: eb('replay_counts.deliveries', '+', eb.ref('excluded.deliveries')),
      })),
    );
    runNow(database, added);
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
    enqueue(id, batches, { cursor, now, sent }) {
      const replayId = rowOf('r', id) ?? 0;
      const moved = runNow(
        database,
        query
          .updateTable('replays')
          .set({ cursor: fullId(cursor) })
          .where('id', '=', replayId),
      );
      if (moved.changes === 0) throw noReplay(id);
      for (const batch of batches) enqueueBatch(replayId, batch, now);
      for (const [status, events] of Object.entries(sent ?? {}))
        if (events !== 0) count(replayId, status, events);
    },
    finish(id) {
      const finished = runNow(
        database,
        query
          .updateTable('replays')
          .set({ status: 'finished' })
          .where('id', '=', rowOf('r', id) ?? 0),
      );
      if (finished.changes === 0) throw noReplay(id);
    },
  };
}

/** Reads the records of replays and their progress. */
export function createReplayReads({
  query,
}: Connection): Pick<Replays, 'replay' | 'replays' | 'replayProgress'> {
  return {
    async replay(id) {
      const row = await query
        .selectFrom('replays')
        .selectAll()
        .where('id', '=', rowOf('r', id) ?? 0)
        .executeTakeFirst();
      return row === undefined ? null : replayRecord(row);
    },
    async replays(limit) {
      const rows = await query.selectFrom('replays').selectAll().orderBy('id', 'desc').limit(limit).execute();
      return rows.map(replayRecord);
    },
    async replayProgress(id) {
      const counts = await query
        .selectFrom('replay_counts')
        .select(['status', 'deliveries'])
        .where('replay_id', '=', rowOf('r', id) ?? 0)
        .execute();
      return { ...NO_PROGRESS, ...Object.fromEntries(counts.map((row) => [row.status, row.deliveries])) };
    },
  };
}
