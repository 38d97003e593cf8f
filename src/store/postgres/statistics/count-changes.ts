/** Collects what a transaction changes in the tables of counts. */
import type { DeliveryStatus } from '../../queries.ts';
import type { CountedChanges, DeliveryClass, EventClass } from '../../rows/statistics/count-classes.ts';
import { insertOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/**
 * Collects the changes of counts in a transaction. {@link CountChanges.write} adds them in a few statements,
 * as rows of their own: no transaction waits for the row of another one.
 */
export interface CountChanges extends CountedChanges {
  /** Called once, before the commit. Sends all its statements at once. */
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
    deliveryStored(of, status, count = 1) {
      delivery(of, status, count);
    },
    deliveryMoved(of, from, to, count = 1) {
      delivery(of, from, -count);
      delivery(of, to, count);
    },
    async write(session) {
      const moved = [...deliveries.values()].filter(({ by }) => by !== 0);
      await Promise.all([writeEvents(session, [...events.values()]), writeDeliveries(session, moved)]);
    },
  };
}

async function writeEvents(session: Session, sums: readonly EventSum[]): Promise<void> {
  if (sums.length === 0) return;
  await session.run(
    insertOf('event_counts', sums, {
      kind: ['text', ({ kind }) => kind],
      recognized: ['smallint', ({ recognized }) => recognized],
      verdict: ['text', ({ verdict }) => verdict],
      events: ['bigint', ({ events }) => events],
      repeats: ['bigint', ({ repeats }) => repeats],
      last_received_at: ['bigint', ({ at }) => at],
    }),
  );
}

async function writeDeliveries(session: Session, sums: readonly DeliverySum[]): Promise<void> {
  if (sums.length === 0) return;
  const ofHandlers = session.run(
    insertOf('delivery_counts', sums, {
      handler: ['text', ({ handler }) => handler],
      status: ['text', ({ status }) => status],
      deliveries: ['bigint', ({ by }) => by],
    }),
  );
  const ofReplays = sums.filter(({ replayId }) => replayId > 0);
  if (ofReplays.length === 0) {
    await ofHandlers;
    return;
  }
  const inReplays = session.run(
    insertOf('replay_counts', ofReplays, {
      replay_id: ['bigint', ({ replayId }) => replayId],
      status: ['text', ({ status }) => status],
      deliveries: ['bigint', ({ by }) => by],
    }),
  );
  await Promise.all([ofHandlers, inReplays]);
}
