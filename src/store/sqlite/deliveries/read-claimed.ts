/** Reads the events of claimed deliveries in the main thread, beside the writing thread. The statements may change freely. */
import { sql } from 'kysely';
import { failureReason } from '../../../kernel/failure-reason.ts';
import type { ClaimedDelivery, Prefetched, ReadDeliveries, UnreadDelivery } from '../../lane-queue.ts';
import {
  claimedDelivery,
  deliveryKey,
  type QueuedDelivery,
} from '../../shared/deliveries/claimed-delivery.ts';
import { storedEvent, type EventRow } from '../../shared/events/event-record.ts';
import { MAX_READ_BYTES, queueRows } from '../../shared/deliveries/queued-rows.ts';
import { bodyText, eventColumns } from '../events/stored-events.ts';
import { storeError } from '../file/store-error.ts';
import type { Connection } from '../sql/connection.ts';
import { valuesOf } from '../sql/expressions.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** Reads the events of deliveries in flight: at once, or, for prefetched ones, shortly before they run. */
export interface ReadClaimed {
  /** Adds the events to deliveries, in the same order. Never throws. */
  withEvents(started: readonly QueuedDelivery[]): readonly (ClaimedDelivery | UnreadDelivery)[];
  /** As `withEvents`, split by whether the events could be read. */
  read(started: readonly QueuedDelivery[]): ReadDeliveries;
  prefetched(started: readonly QueuedDelivery[]): Prefetched;
}

/**
 * Events are read on the connection of the thread that runs the handlers, so
 * that they do not travel between threads. Reading after the commit is safe:
 * the content of an event never changes, only its counts and flags.
 *
 * @param onUnreadable receives the error when an event cannot be read
 */
export function createReadClaimed(
  { database, query, ids, dataOf }: Connection,
  onUnreadable: (error: unknown) => void,
): ReadClaimed {
  const readEvents = prepare<
    { ids: string },
    EventRow & { readonly body: string | null; readonly headers: string }
  >(database, (p: Named<{ ids: string }>) =>
    query
      .selectFrom('events')
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .select(eventColumns)
      .select([bodyText.as('body'), 'events.headers'])
      .where('events.id', 'in', valuesOf<number>(p.ids)),
  );
  const sumBytes = prepare(database, (p: Named<{ ids: string }>) =>
    query
      .selectFrom('events')
      // SQLite knows the length of a body without reading it.
      .select(sql<number>`total(length(body))`.as('bytes'))
      .where('id', 'in', valuesOf<number>(p.ids)),
  );
  const eventIds = (started: readonly QueuedDelivery[]) => ({
    ids: JSON.stringify(started.map((row) => row.event_id)),
  });

  function claimedOf(started: readonly QueuedDelivery[]): readonly ClaimedDelivery[] {
    const rows = readEvents.all(eventIds(started));
    const found = new Map(rows.map((row) => [row.event_id, row]));
    return started.map((row) => {
      const event = found.get(row.event_id);
      if (event === undefined) throw new Error(`event ${String(row.event_id)} is missing`);
      // A new object for each delivery: a handler may change its event.
      return claimedDelivery(row, storedEvent(event, ids, dataOf), event.headers);
    });
  }

  function withEvents(started: readonly QueuedDelivery[]): readonly (ClaimedDelivery | UnreadDelivery)[] {
    if (started.length === 0) return [];
    try {
      return claimedOf(started);
    } catch (error) {
      // Read one by one, so that one unreadable event leaves the others readable.
      if (started.length > 1) return started.flatMap((row) => withEvents([row]));
      onUnreadable(error);
      const reason = failureReason(storeError(error, database.name));
      return started.map((row) => ({ ...deliveryKey(row), event: null, reason }));
    }
  }

  function read(started: readonly QueuedDelivery[]): ReadDeliveries {
    const all = withEvents(started);
    const deliveries = all.filter((one) => one.event !== null);
    return { deliveries, unread: all.filter((one) => one.event === null) };
  }

  /** Returns the first deliveries whose bodies fit into one read; at least one. */
  function fitting(started: readonly QueuedDelivery[]): readonly QueuedDelivery[] {
    let first = started;
    try {
      while (first.length > 1 && (sumBytes.get(eventIds(first))?.bytes ?? 0) > MAX_READ_BYTES)
        first = first.slice(0, Math.floor(first.length / 2));
    } catch {
      // The read that follows reports the error.
      return started;
    }
    return first;
  }

  return {
    withEvents,
    read,
    prefetched(started) {
      const rows = queueRows(started, (row) => deliveryKey(row));
      return {
        ...rows,
        next(most) {
          const next = fitting(rows.first(most));
          rows.take(next.length);
          return Promise.resolve(read(next));
        },
      };
    },
  };
}
