import type { StoredEvent } from '../../../event/stored-event.ts';
import { failureReason } from '../../../kernel/failure-reason.ts';
import type { ClaimedDelivery, UnreadDelivery } from '../../lane-queue.ts';
import type { Connection } from '../sql/connection.ts';
import { bodyText, eventColumns, storedEvent, type EventRow } from '../events/event-record.ts';
import { claimedDelivery, deliveryKey, type StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { storeError } from '../file/store-error.ts';
import { valuesOf } from '../sql/values-of.ts';

/** Deliveries that were marked running, with their events, in the same order. Never throws. */
export type ClaimedDeliveries = (
  started: readonly StartedDelivery[],
) => readonly (ClaimedDelivery | UnreadDelivery)[];

/**
 * Reads the events on the connection of whoever handles them, so that they
 * need not travel from where deliveries are written. To read them after the
 * commit is as good: what came is kept as it came, and what is counted and
 * noted of it since is news.
 *
 * @param onUnreadable told what was thrown when an event cannot be read
 */
export function createClaimedDeliveries(
  { database, query, ids }: Connection,
  onUnreadable: (error: unknown) => void,
): ClaimedDeliveries {
  const read = prepare<{ ids: string }, EventRow & { readonly body: string | null }>(
    database,
    (p: Named<{ ids: string }>) =>
      query
        .selectFrom('events')
        .innerJoin('subjects', 'subjects.id', 'events.subject_id')
        .select(eventColumns)
        .select(bodyText.as('body'))
        .where('events.id', 'in', valuesOf<number>(p.ids)),
  );

  function eventsOf(started: readonly StartedDelivery[]): (row: number) => StoredEvent {
    const rows = read.all({ ids: JSON.stringify(started.map((row) => row.event_id)) });
    const found = new Map(rows.map((row) => [row.event_id, row]));
    return (id) => {
      const row = found.get(id);
      if (row === undefined) throw new Error(`event ${String(id)} is missing`);
      // One for each delivery: a handler may change what it is given.
      return storedEvent(row, ids);
    };
  }

  function claimed(started: readonly StartedDelivery[]): readonly (ClaimedDelivery | UnreadDelivery)[] {
    if (started.length === 0) return [];
    try {
      const event = eventsOf(started);
      return started.map((row) => claimedDelivery(row, event(row.event_id)));
    } catch (error) {
      // One that cannot be read takes no others along.
      if (started.length > 1) return started.flatMap((row) => claimed([row]));
      onUnreadable(error);
      const reason = failureReason(storeError(error, database.name));
      return started.map((row) => ({ ...deliveryKey(row), event: null, reason }));
    }
  }

  return claimed;
}
