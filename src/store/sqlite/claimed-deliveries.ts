import type { StoredEvent } from '../../event/stored-event.ts';
import type { ClaimedDelivery } from '../lane-queue.ts';
import type { Connection } from './connection.ts';
import { bodyText, eventColumns, storedEvent, type EventRow } from './event-record.ts';
import { claimedDelivery, type StartedDelivery } from './started-delivery.ts';
import { prepare, type Named } from './statement.ts';
import { valuesOf } from './values-of.ts';

/** Deliveries that were marked running, with their events. */
export type ClaimedDeliveries = (started: readonly StartedDelivery[]) => readonly ClaimedDelivery[];

/**
 * Reads the events on the connection of whoever handles them, so that they
 * need not travel from where deliveries are written. To read them after the
 * commit is as good: what came is kept as it came, and what is counted and
 * noted of it since is news.
 */
export function createClaimedDeliveries({ database, query, ids }: Connection): ClaimedDeliveries {
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

  return (started) => {
    if (started.length === 0) return [];
    const event = eventsOf(started);
    return started.map((row) => claimedDelivery(row, event(row.event_id)));
  };
}
