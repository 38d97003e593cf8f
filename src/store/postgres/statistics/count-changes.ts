import { sql } from 'kysely';
import type { Verdict } from '../../../event/stored-event.ts';
import type { DeliveryStatus } from '../../queries.ts';
import { arrayOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** The columns that deliveries are counted by, beside their status. */
export interface DeliveryClass {
  readonly handler: string;
  /** 0 for a first delivery, which belongs to no replay. */
  readonly replayId: number;
}

/** The columns that events are counted by. */
export interface EventClass {
  readonly kind: string;
  readonly recognized: number;
  readonly verdict: Verdict;
}

/**
 * Collects the changes of counts in a transaction. {@link CountChanges.write} adds them in a few statements,
 * as rows of their own: no transaction waits for the row of another one.
 */
export interface CountChanges {
  eventStored(event: EventClass, receivedAt: number): void;
  eventRepeated(event: EventClass): void;
  /** @param count the number of deliveries; 1 by default */
  deliveryStored(delivery: DeliveryClass, status: DeliveryStatus, count?: number): void;
  /** @param count the number of deliveries; 1 by default */
  deliveryMoved(delivery: DeliveryClass, from: DeliveryStatus, to: DeliveryStatus, count?: number): void;
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
  await session.run(sql`
    insert into event_counts (kind, recognized, verdict, events, repeats, last_received_at)
    select * from unnest(${arrayOf(
      sums.map(({ kind }) => kind),
      'text',
    )}, ${arrayOf(
      sums.map(({ recognized }) => recognized),
      'smallint',
    )}, ${arrayOf(
      sums.map(({ verdict }) => verdict),
      'text',
    )}, ${arrayOf(
      sums.map((sum) => sum.events),
      'bigint',
    )}, ${arrayOf(
      sums.map(({ repeats }) => repeats),
      'bigint',
    )}, ${arrayOf(
      sums.map(({ at }) => at),
      'bigint',
    )})`);
}

async function writeDeliveries(session: Session, sums: readonly DeliverySum[]): Promise<void> {
  if (sums.length === 0) return;
  const ofHandlers = session.run(sql`
    insert into delivery_counts (handler, status, deliveries)
    select * from unnest(${arrayOf(
      sums.map(({ handler }) => handler),
      'text',
    )}, ${arrayOf(
      sums.map(({ status }) => status),
      'text',
    )}, ${arrayOf(
      sums.map(({ by }) => by),
      'bigint',
    )})`);
  const ofReplays = sums.filter(({ replayId }) => replayId > 0);
  if (ofReplays.length === 0) {
    await ofHandlers;
    return;
  }
  const inReplays = session.run(sql`
    insert into replay_counts (replay_id, status, deliveries)
    select * from unnest(${arrayOf(
      ofReplays.map(({ replayId }) => replayId),
      'bigint',
    )}, ${arrayOf(
      ofReplays.map(({ status }) => status),
      'text',
    )}, ${arrayOf(
      ofReplays.map(({ by }) => by),
      'bigint',
    )})`);
  await Promise.all([ofHandlers, inReplays]);
}
