import type { JsonValue } from '../../kernel/json.ts';
import type { ClaimedDelivery } from '../lane-queue.ts';
import type { Connection } from './connection.ts';
import { eventColumns, storedEvent, type EventRow } from './event-record.ts';
import { rowId } from './ids.ts';
import { prepare, type Named } from './statement.ts';

/** The first unfinished delivery of a lane. */
export interface Head {
  readonly id: number;
  readonly replay_id: number;
  /** When it wishes to be tried again, and when it said so; null when it has no wish. */
  readonly due_at: number | null;
  readonly asked_at: number | null;
}

/** Reads and marks what waits in a lane. */
export interface WaitingDeliveries {
  head(lane: number): Head | undefined;
  /** Marks a delivery running and counts the try. */
  start(delivery: number, lane: number): ClaimedDelivery;
}

interface ClaimRow extends EventRow {
  readonly handler: string;
  readonly effect: string;
  readonly effect_change: string | null;
  readonly late: number;
  readonly attempts: number;
  readonly replay_id: number;
  readonly body: Uint8Array | null;
}

export function createWaitingDeliveries({ database, query, ids }: Connection): WaitingDeliveries {
  const head = prepare(database, (p: Named<{ lane: number }>) =>
    query
      .selectFrom('deliveries')
      .select(['id', 'replay_id', 'due_at', 'asked_at'])
      .where('lane_id', '=', p.lane)
      .where('finished_at', 'is', null)
      .orderBy('id')
      .limit(1),
  );
  const start = prepare(database, (p: Named<{ id: number }>) =>
    query
      .updateTable('deliveries')
      .set((eb) => ({
        status: 'running',
        attempts: eb('attempts', '+', 1),
        due_at: null,
        asked_at: null,
      }))
      .where('id', '=', p.id),
  );
  const read = prepare<{ id: number }, ClaimRow>(database, (p) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .select(eventColumns)
      .select([
        'deliveries.handler',
        'deliveries.effect',
        'deliveries.effect_change',
        'deliveries.late',
        'deliveries.attempts',
        'deliveries.replay_id',
        'events.body',
      ])
      .where('deliveries.id', '=', p.id),
  );

  return {
    head: (lane) => head.get({ lane }),
    start(id, lane) {
      start.run({ id });
      const row = read.get({ id });
      if (row === undefined) throw new Error(`delivery ${String(id)} vanished from its transaction`);
      return {
        id: rowId('d', id),
        lane: String(lane),
        handler: row.handler,
        effect: effectOf(row),
        attempt: row.attempts,
        replay: row.replay_id === 0 ? null : rowId('r', row.replay_id),
        event: storedEvent(row, ids),
      };
    },
  };
}

function effectOf(row: ClaimRow): ClaimedDelivery['effect'] {
  if (row.effect === '') return null;
  return {
    name: row.effect,
    change: JSON.parse(row.effect_change ?? 'null') as JsonValue,
    late: row.late === 1,
  };
}
