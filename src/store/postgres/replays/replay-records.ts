/** Creates, lists and finishes replays. */
import { sql } from 'kysely';
import type { DatabaseSchema } from '../../shared/tables.ts';
import type { NewReplay, ReplayProgress, ReplayRecord, Replays } from '../../replays.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { noReplay, NO_PROGRESS, replayGroups, replayRecord } from '../../shared/replays/replay-record.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';
import { enqueueEvents } from './enqueue-events.ts';

type ReplayRow = DatabaseSchema['replays'] & { readonly id: number };

/** Stores replays, and what they deliver. */
export function createReplayRecords({
  transact,
  transactLanes,
  read,
  ids,
}: Connection): Pick<
  Replays,
  'createReplay' | 'enqueueReplay' | 'finishReplay' | 'replay' | 'replays' | 'replayProgress'
> {
  const fullId = (event: string): string => {
    const number = ids.eventRow(event);
    return number === undefined ? event : ids.event(number);
  };

  return {
    createReplay: (replay, now) => transact(({ session }) => createReplay(session, replay, now)),

    enqueueReplay: (id, deliveries, { cursor, now, sent = {} }) =>
      transactLanes(async (transaction) => {
        const { session } = transaction;
        const replayId = rowOf('r', id) ?? 0;
        await enqueueEvents(transaction, { replayId, groups: replayGroups(deliveries), now, ids });
        // After the lanes, in the order in which all transactions lock.
        const moved = await session.run(
          sql`update replays set cursor = ${fullId(cursor)} where id = ${replayId}`,
        );
        if (moved === 0) throw noReplay(id);
        for (const [status, events] of Object.entries(sent))
          if (events !== 0) await countSent(session, replayId, status, events);
      }),

    finishReplay: (id) =>
      transact(async ({ session }) => {
        const finished = await session.run(
          sql`update replays set status = 'finished' where id = ${rowOf('r', id) ?? 0}`,
        );
        if (finished === 0) throw noReplay(id);
      }),

    async replay(id) {
      const row = await read.first(sql<ReplayRow>`select * from replays where id = ${rowOf('r', id) ?? 0}`);
      return row === undefined ? null : replayRecord(row);
    },
    async replays(limit) {
      const rows = await read.rows(sql<ReplayRow>`select * from replays order by id desc limit ${limit}`);
      return rows.map(replayRecord);
    },
    async replayProgress(id): Promise<ReplayProgress> {
      const counts = await read.rows(
        sql<{ status: string; deliveries: number }>`
          select status, sum(deliveries) as deliveries from replay_counts
          where replay_id = ${rowOf('r', id) ?? 0} group by status`,
      );
      return { ...NO_PROGRESS, ...Object.fromEntries(counts.map((row) => [row.status, row.deliveries])) };
    },
  };
}

/** Called inside a transaction. */
export async function createReplay(session: Session, replay: NewReplay, now: number): Promise<ReplayRecord> {
  const { filter, handlers, ifNotSucceeded, target } = replay;
  const created = await session.first(
    sql<{ id: number }>`
      insert into replays (created_at, filter, handlers, if_not_succeeded, target, status)
      values (${now}, ${JSON.stringify(filter)}, ${JSON.stringify(handlers)}, ${ifNotSucceeded ? 1 : 0},
        ${target}, 'running')
      returning id`,
  );
  const id = rowId('r', created?.id ?? 0);
  return { ...replay, id, createdAt: now, status: 'running', cursor: null };
}

/** Events that a replay to a URL has ended count like deliveries. */
async function countSent(session: Session, replayId: number, status: string, events: number): Promise<void> {
  await session.run(sql`
    insert into replay_counts (replay_id, status, deliveries) values (${replayId}, ${status}, ${events})`);
}
