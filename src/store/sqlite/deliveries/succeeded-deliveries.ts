import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Connection } from '../sql/connection.ts';
import { countedTries } from './held-attempts.ts';
import type { MoveLaneOn, Onward } from './advance-lane.ts';
import type { DeliveryClass, RowCounts } from '../statistics/row-counts.ts';
import type { StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { valuesOf } from '../sql/values-of.ts';

/** Claimed deliveries of one handler that have succeeded, and nothing more is to be stored of. */
export interface SucceededBatch extends DeliveryClass {
  /** Their numbers: a JSON list, which travels as it is and is read by SQLite. */
  readonly ids: string;
  /** Their lanes in the same order, each of another lane: a JSON list, too. */
  readonly lanes: string;
  readonly count: number;
}

/** What was started behind one of a batch, and which of the batch that was. */
export interface Following {
  readonly at: number;
  readonly started: StartedDelivery;
}

/**
 * As `advance` one by one, in a few statements. To be called inside a transaction.
 *
 * @throws PortariaError `invalid-argument` when one of them is not held: then none of them has ended.
 */
export type SucceedDeliveries = (batch: SucceededBatch, onward: Onward) => readonly Following[];

interface Parts {
  readonly moveLaneOn: MoveLaneOn;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
}

export function createSucceedDeliveries(
  { database, query }: Connection,
  { moveLaneOn, counts }: Parts,
): SucceedDeliveries {
  const finish = prepare(database, (p: Named<{ ids: string; now: number }>) =>
    query
      .updateTable('deliveries')
      .set({ status: 'succeeded', attempts: countedTries, last_error: null, finished_at: p.now })
      .where('id', 'in', valuesOf<number>(p.ids))
      .where('status', '=', 'running'),
  );
  const inLane = prepare(database, (p: Named<{ handler: string; lanes: string }>) =>
    query
      .selectFrom(sql<{ key: number; value: number }>`json_each(${p.lanes})`.as('lanes'))
      .select(['lanes.key as at', 'lanes.value as lane'])
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('deliveries')
            .select('deliveries.id')
            .where('deliveries.handler', '=', p.handler)
            .whereRef('deliveries.lane', '=', 'lanes.value')
            .where('deliveries.finished_at', 'is', null),
        ),
      ),
  );

  return ({ ids, lanes, count, ...of }, onward) => {
    if (finish.run({ ids, now: onward.now }).changes < count) {
      throw new PortariaError('invalid-argument', `of ${String(count)} deliveries some are not held`);
    }
    counts.deliveryMoved(of, 'running', 'succeeded', count);
    const { handler } = of;
    return inLane.all({ handler, lanes }).flatMap(({ at, lane }) => {
      const started = moveLaneOn({ handler, lane }, onward);
      return started === null ? [] : [{ at, started }];
    });
  };
}
