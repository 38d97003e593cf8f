/** Collects what a transaction changes in the tables of counts. */
import type { RawBuilder } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import type { CountedChanges, DeliveryClass, EventClass } from '../../shared/statistics/count-classes.ts';
import { asOneStatement, insertOf, type Columns } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/**
 * Collects the changes of counts in a transaction. {@link CountChanges.write} adds them in one statement,
 * as rows of their own: no transaction waits for the row of another one.
 */
export interface CountChanges extends CountedChanges {
  /** @param by the number of rows that the transaction has stored, less those that it has removed */
  rowsStored(name: 'subjects' | 'anomalies', by: number): void;
  /** Called once, before the commit. */
  write(session: Session): Promise<void>;
}

interface EventSum extends EventClass {
  events: number;
  repeats: number;
  at: number;
}

interface DeliverySum extends DeliveryClass {
  readonly status: DeliveryStatus;
  by: number;
}

export function createCountChanges(): CountChanges {
  const events = new Map<string, EventSum>();
  const deliveries = new Map<string, DeliverySum>();
  const rows = new Map<string, number>();

  function event(of: EventClass, add: { events: number; repeats: number; at: number }): void {
    const { kind, recognized, verdict } = of;
    const key = JSON.stringify([kind, recognized, verdict]);
    const sum = events.get(key) ?? { kind, recognized, verdict, events: 0, repeats: 0, at: 0 };
    sum.events += add.events;
    sum.repeats += add.repeats;
    sum.at = Math.max(sum.at, add.at);
    events.set(key, sum);
  }

  function delivery({ handler, replayId }: DeliveryClass, status: DeliveryStatus, by: number): void {
    const key = JSON.stringify([handler, replayId, status]);
    const sum = deliveries.get(key) ?? { handler, replayId, status, by: 0 };
    sum.by += by;
    deliveries.set(key, sum);
  }

  return {
    eventStored(of, at) {
      event(of, { events: 1, repeats: 0, at });
    },
    eventRepeated(of) {
      event(of, { events: 0, repeats: 1, at: 0 });
    },
    eventMoved(from, to, at) {
      event(from, { events: -1, repeats: 0, at: 0 });
      event(to, { events: 1, repeats: 0, at });
    },
    deliveryStored(of, status, count = 1) {
      delivery(of, status, count);
    },
    deliveryMoved(of, from, to, count = 1) {
      delivery(of, from, -count);
      delivery(of, to, count);
    },
    rowsStored(name, by) {
      rows.set(name, (rows.get(name) ?? 0) + by);
    },
    async write(session) {
      const changes = inserts();
      if (changes.length > 0) await session.run(asOneStatement(changes));
    },
  };

  function inserts(): RawBuilder<unknown>[] {
    const moved = [...deliveries.values()].filter(({ by }) => by !== 0);
    return [
      insertIfAny('event_counts', [...events.values()], {
        kind: ['text', ({ kind }) => kind],
        recognized: ['smallint', ({ recognized }) => recognized],
        verdict: ['text', ({ verdict }) => verdict],
        events: ['bigint', (sum) => sum.events],
        repeats: ['bigint', ({ repeats }) => repeats],
        last_received_at: ['bigint', ({ at }) => at],
      }),
      insertIfAny('delivery_counts', moved, {
        handler: ['text', ({ handler }) => handler],
        status: ['text', ({ status }) => status],
        deliveries: ['bigint', ({ by }) => by],
      }),
      insertIfAny(
        'replay_counts',
        moved.filter(({ replayId }) => replayId > 0),
        {
          replay_id: ['bigint', ({ replayId }) => replayId],
          status: ['text', ({ status }) => status],
          deliveries: ['bigint', ({ by }) => by],
        },
      ),
      insertIfAny(
        'row_counts',
        [...rows].filter(([, by]) => by !== 0),
        {
          name: ['text', ([name]) => name],
          rows: ['bigint', ([, by]) => by],
        },
      ),
    ].flat();
  }
}

/** Returns the statement that inserts rows; none without rows. */
function insertIfAny<R>(table: string, rows: readonly R[], columns: Columns<R>): RawBuilder<unknown>[] {
  return rows.length === 0 ? [] : [insertOf(table, rows, columns)];
}
