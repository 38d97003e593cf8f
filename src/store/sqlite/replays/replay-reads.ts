import type { Selectable } from 'kysely';
import type { EventFilter } from '../../queries.ts';
import type { ReplayProgress, Replays, ReplayStatus } from '../../replays.ts';
import type { Connection } from '../sql/connection.ts';
import type { DatabaseSchema } from '../file/database-schema.ts';
import { rowId, rowOf } from '../sql/ids.ts';

type Reads = Pick<Replays, 'replay' | 'replays' | 'replayProgress'>;

const NONE: ReplayProgress = { pending: 0, running: 0, succeeded: 0, dead: 0, skipped: 0 };

/** What was asked to be replayed and how far it is. */
export function createReplayReads({ query }: Connection): Reads {
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
      return { ...NONE, ...Object.fromEntries(counts.map((row) => [row.status, row.deliveries])) };
    },
  };
}

function replayRecord(row: Selectable<DatabaseSchema['replays']>) {
  return {
    id: rowId('r', row.id),
    createdAt: row.created_at,
    filter: JSON.parse(row.filter) as EventFilter,
    handlers: JSON.parse(row.handlers) as string[],
    ifNotSucceeded: row.if_not_succeeded === 1,
    target: row.target,
    status: row.status as ReplayStatus,
    cursor: row.cursor,
  };
}
