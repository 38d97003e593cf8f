/**
 * Stores one delivery at the end of its lane.
 *
 * Every webhook passes here, in the writing thread: no `await`, no locks. What must stay is the order: whether the lane
 * has unfinished deliveries is asked before the insert, which makes the delivery head of an empty lane.
 */
import { HEAD, NO_HEAD } from '../../shared/deliveries/head-values.ts';
import { laneOf } from '../../shared/deliveries/lane-key.ts';
import type { NewDelivery } from '../../shared/deliveries/new-delivery.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { Lanes } from './lanes.ts';

/**
 * Stores a delivery at the end of its lane. Called inside a transaction.
 *
 * @returns whether it waits in its lane: false when skipped or stored before
 */
export type EnqueueDelivery = (
  delivery: NewDelivery,
  now: number,
  /** `first`: the event is stored in this transaction, so no delivery of it exists. */
  options?: { readonly first: boolean },
) => boolean;

interface Deps {
  readonly lanes: Pick<Lanes, 'hasUnfinished'>;
  readonly counts: Pick<RowCounts, 'deliveryStored'>;
  readonly clockJumps: Pick<ClockJumps, 'note'>;
}

interface Row {
  id: number;
  eventId: number;
  handler: string;
  effect: string;
  change: string | null;
  late: number;
  replayId: number;
  order: string;
  lane: number;
  status: string;
  head: number;
  dueAt: number | null;
  lastError: string | null;
  finishedAt: number | null;
}

export function createEnqueueDelivery(
  { database, query }: Connection,
  { lanes, counts, clockJumps }: Deps,
): EnqueueDelivery {
  const existing = prepare(database, (p: Named<Pick<Row, 'eventId' | 'handler' | 'effect' | 'replayId'>>) =>
    query
      .selectFrom('deliveries')
      .select('id')
      .where('event_id', '=', p.eventId)
      .where('handler', '=', p.handler)
      .where('effect', '=', p.effect)
      .where('replay_id', '=', p.replayId),
  );
  const last = prepare(database, () =>
    query.selectFrom('deliveries').select(({ fn }) => fn.max<number | null>('id').as('id')),
  );
  const insert = prepare(database, (p: Named<Row>) =>
    query.insertInto('deliveries').values({
      id: p.id,
      event_id: p.eventId,
      handler: p.handler,
      effect: p.effect,
      effect_change: p.change,
      late: p.late,
      replay_id: p.replayId,
      lane_order: p.order,
      lane: p.lane,
      status: p.status,
      head: p.head,
      due_at: p.dueAt,
      asked_at: p.dueAt,
      last_error: p.lastError,
      finished_at: p.finishedAt,
    }),
  );

  return (delivery, now, options) => {
    const { eventId, handler, replayId, order, effect, skip } = delivery;
    const effectName = effect?.name ?? '';
    const key = { eventId, handler, effect: effectName, replayId };
    if (options?.first !== true && existing.get(key) !== undefined) return false;
    const id = (last.get({})?.id ?? 0) + 1;
    const lane = laneOf(order, delivery.subjectId, id);
    const waits = skip === undefined;
    const isHead = waits && !lanes.hasUnfinished({ handler, lane });
    const status = waits ? 'pending' : 'skipped';
    insert.run({
      id,
      eventId,
      handler,
      effect: effectName,
      replayId,
      change: effect === undefined ? null : JSON.stringify(effect.change),
      late: effect?.late === true ? 1 : 0,
      order,
      lane,
      status,
      head: isHead ? HEAD : NO_HEAD,
      dueAt: isHead ? now : null,
      lastError: skip ?? null,
      finishedAt: waits ? null : now,
    });
    counts.deliveryStored({ handler, replayId }, status);
    if (isHead) clockJumps.note(now);
    return waits;
  };
}
