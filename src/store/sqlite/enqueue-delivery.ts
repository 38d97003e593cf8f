import type { JsonValue } from '../../kernel/json.ts';
import type { LaneOrder } from '../route.ts';
import type { Connection } from './connection.ts';
import type { LaneRows } from './lane-rows.ts';
import { prepare, type Named } from './statement.ts';

/** A delivery to store: of an event to a handler, or of a machine's effect. */
export interface NewDelivery {
  readonly eventId: number;
  readonly subjectId: number;
  readonly handler: string;
  readonly order: LaneOrder;
  /** 0 for the first delivery. */
  readonly replayId: number;
  readonly effect?: { readonly name: string; readonly change: JsonValue; readonly late: boolean };
  /** Why it ends as soon as it is stored, as skipped. */
  readonly skip?: string;
}

/** Whether it waits in its lane now: not when skipped, nor when it was there already. */
export type EnqueueDelivery = (
  delivery: NewDelivery,
  now: number,
  /** That the event is stored in this very transaction, so that none can be there already. */
  options?: { readonly first: boolean },
) => boolean;

interface Row {
  eventId: number;
  handler: string;
  effect: string;
  change: string | null;
  late: number;
  replayId: number;
  order: string;
  lane: number | null;
  status: string;
  lastError: string | null;
  finishedAt: number | null;
}

export function createEnqueueDelivery({ database, query }: Connection, lanes: LaneRows): EnqueueDelivery {
  const exists = prepare(database, (p: Named<Pick<Row, 'eventId' | 'handler' | 'effect' | 'replayId'>>) =>
    query
      .selectFrom('deliveries')
      .select('id')
      .where('event_id', '=', p.eventId)
      .where('handler', '=', p.handler)
      .where('effect', '=', p.effect)
      .where('replay_id', '=', p.replayId),
  );
  const insert = prepare(database, (p: Named<Row>) =>
    query.insertInto('deliveries').values({
      event_id: p.eventId,
      handler: p.handler,
      effect: p.effect,
      effect_change: p.change,
      late: p.late,
      replay_id: p.replayId,
      lane_order: p.order,
      lane_id: p.lane,
      status: p.status,
      last_error: p.lastError,
      finished_at: p.finishedAt,
    }),
  );

  return (delivery, now, options) => {
    const { eventId, handler, replayId, order, skip } = delivery;
    const key = { eventId, handler, effect: delivery.effect?.name ?? '', replayId };
    if (options?.first !== true && exists.get(key) !== undefined) return false;
    const waits = skip === undefined;
    insert.run({
      ...key,
      change: delivery.effect === undefined ? null : JSON.stringify(delivery.effect.change),
      late: delivery.effect?.late === true ? 1 : 0,
      order,
      lane: waits ? lanes.open(delivery, now) : null,
      status: waits ? 'pending' : 'skipped',
      lastError: skip ?? null,
      finishedAt: waits ? null : now,
    });
    return waits;
  };
}
