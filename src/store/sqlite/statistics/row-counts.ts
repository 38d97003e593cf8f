/** Keeps the tables of counts right, transaction by transaction. */
import type { DeliveryStatus } from '../../queries.ts';
import type { TransactionPart } from '../commit/batch-commit.ts';
import {
  MAX_COUNTED_KIND,
  MAX_UNKNOWN_KINDS,
  OTHER_KINDS,
  type CountedChanges,
  type DeliveryClass,
  type EventClass,
} from '../../shared/statistics/count-classes.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

/**
 * Maintains the tables of counts for statistics. Operations report their
 * changes here; the sums of a transaction are written once, before its commit:
 * updating a row of counts for each event costs a fifth of storing the event.
 */
export type RowCounts = CountedChanges & TransactionPart;

type Change =
  | {
      readonly of: 'event';
      readonly class: EventClass;
      events: number;
      repeats: number;
      at: number;
    }
  | {
      readonly of: 'delivery';
      readonly class: DeliveryClass;
      readonly status: DeliveryStatus;
      by: number;
    };

/** The number of latest changes to merge with: an event and its delivery, or one status to another. */
const MERGED_WITH = 2;

export function createRowCounts(connection: Connection): RowCounts {
  const { database, query } = connection;
  const kinds = createCountedKinds(connection);
  const addEvents = prepare(database, (p: Named<EventSum>) =>
    query
      .insertInto('event_counts')
      .values({
        kind: p.kind,
        recognized: p.recognized,
        verdict: p.verdict,
        events: p.events,
        repeats: p.repeats,
        last_received_at: p.at,
      })
      .onConflict((conflict) =>
        conflict.columns(['kind', 'recognized', 'verdict']).doUpdateSet((eb) => ({
          events: eb('event_counts.events', '+', eb.ref('excluded.events')),
          repeats: eb('event_counts.repeats', '+', eb.ref('excluded.repeats')),
          last_received_at: eb.fn<number>('max', [
            'event_counts.last_received_at',
            'excluded.last_received_at',
          ]),
        })),
      ),
  );
  const addDeliveries = prepare(database, (p: Named<DeliverySum>) =>
    query
      .insertInto('delivery_counts')
      .values({ handler: p.handler, status: p.status, deliveries: p.by })
      .onConflict((conflict) =>
        conflict.columns(['handler', 'status']).doUpdateSet((eb) => ({
          deliveries: eb('delivery_counts.deliveries', '+', eb.ref('excluded.deliveries')),
        })),
      ),
  );
  const addToReplays = prepare(database, (p: Named<ReplaySum>) =>
    query
      .insertInto('replay_counts')
      .values({ replay_id: p.replayId, status: p.status, deliveries: p.by })
      .onConflict((conflict) =>
        conflict.columns(['replay_id', 'status']).doUpdateSet((eb) => ({
          deliveries: eb('replay_counts.deliveries', '+', eb.ref('excluded.deliveries')),
        })),
      ),
  );
  let changes: Change[] = [];

  /** Merging equal changes at once costs less than keeping each. */
  function note(change: Change): void {
    for (let at = changes.length - 1; at >= Math.max(0, changes.length - MERGED_WITH); at -= 1) {
      const latest = changes[at];
      if (latest !== undefined && mergedInto(latest, change)) return;
    }
    changes.push(change);
  }

  function moved(of: DeliveryClass, status: DeliveryStatus, by: number): void {
    note({ of: 'delivery', class: of, status, by });
  }

  function reset(): void {
    changes = [];
  }

  return {
    eventStored(of, at) {
      note({ of: 'event', class: of, events: 1, repeats: 0, at });
    },
    eventRepeated(of) {
      note({ of: 'event', class: of, events: 0, repeats: 1, at: 0 });
    },
    eventMoved(from, to, at) {
      note({ of: 'event', class: from, events: -1, repeats: 0, at: 0 });
      note({ of: 'event', class: to, events: 1, repeats: 0, at });
    },
    deliveryStored(of, status, count = 1) {
      moved(of, status, count);
    },
    deliveryMoved(of, from, to, count = 1) {
      moved(of, from, -count);
      moved(of, to, count);
    },
    beforeCommit() {
      const { events, deliveries, replays } = sumUp(changes);
      for (const sum of events)
        addEvents.run(sum.recognized === 1 ? sum : { ...sum, kind: kinds.countedAs(sum.kind) });
      for (const sum of deliveries) if (sum.by !== 0) addDeliveries.run(sum);
      for (const sum of replays) if (sum.by !== 0) addToReplays.run(sum);
    },
    committed: reset,
    undone() {
      reset();
      kinds.clear();
    },
  };
}

/** Adds a change to a sum of the same class; returns false for another class. */
function mergedInto(sum: Change, change: Change): boolean {
  if (sum.of === 'event' && change.of === 'event') {
    const [one, other] = [sum.class, change.class];
    if (one.kind !== other.kind || one.recognized !== other.recognized || one.verdict !== other.verdict)
      return false;
    sum.events += change.events;
    sum.repeats += change.repeats;
    sum.at = Math.max(sum.at, change.at);
    return true;
  }
  if (sum.of !== 'delivery' || change.of !== 'delivery' || sum.status !== change.status) return false;
  if (sum.class.handler !== change.class.handler || sum.class.replayId !== change.class.replayId)
    return false;
  sum.by += change.by;
  return true;
}

interface EventSum {
  kind: string;
  recognized: number;
  verdict: string;
  events: number;
  repeats: number;
  at: number;
}

interface DeliverySum {
  handler: string;
  status: string;
  by: number;
}

interface ReplaySum {
  replayId: number;
  status: string;
  by: number;
}

function sumUp(changes: readonly Change[]) {
  const events = new Map<string, EventSum>();
  const deliveries = new Map<string, DeliverySum>();
  const replays = new Map<string, ReplaySum>();
  for (const change of changes) {
    if (change.of === 'event') {
      const { kind, recognized, verdict } = change.class;
      const none = () => ({ kind, recognized, verdict, events: 0, repeats: 0, at: 0 });
      const sum = entry(events, `${verdict} ${String(recognized)} ${kind}`, none);
      sum.events += change.events;
      sum.repeats += change.repeats;
      sum.at = Math.max(sum.at, change.at);
    } else {
      const { status, by } = change;
      const { handler, replayId } = change.class;
      entry(deliveries, `${status} ${handler}`, () => ({ handler, status, by: 0 })).by += by;
      if (replayId === 0) continue;
      entry(replays, `${status} ${String(replayId)}`, () => ({ replayId, status, by: 0 })).by += by;
    }
  }
  return { events: events.values(), deliveries: deliveries.values(), replays: replays.values() };
}

function entry<V>(map: Map<string, V>, key: string, none: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = none();
  map.set(key, made);
  return made;
}

/** Decides which unknown kinds have counts of their own. */
interface CountedKinds {
  /** Returns the kind to count an event under. Called inside a transaction. */
  countedAs(kind: string): string;
  /** Clears the cache after a rollback. */
  clear(): void;
}

function createCountedKinds({ database, query }: Connection): CountedKinds {
  const readKinds = prepare<object, { kind: string }>(database, () =>
    query
      .selectFrom('event_counts')
      .select('kind')
      .distinct()
      .where('recognized', '=', 0)
      .where('kind', '<>', OTHER_KINDS),
  );
  let counted = new Set<string>();

  return {
    countedAs(kind) {
      if (counted.has(kind)) return kind;
      if (kind.length <= MAX_COUNTED_KIND && counted.size < MAX_UNKNOWN_KINDS) {
        // Another process may have counted new kinds; this transaction now keeps it from writing.
        counted = new Set(readKinds.all({}).map((row) => row.kind));
        if (counted.has(kind)) return kind;
        if (counted.size < MAX_UNKNOWN_KINDS) {
          counted.add(kind);
          return kind;
        }
      }
      return OTHER_KINDS;
    },
    clear: () => void (counted = new Set()),
  };
}
