/** Reads the events of claimed deliveries, outside their transaction and without locks. */
import { sql } from 'kysely';
import { failureReason } from '../../../kernel/failure-reason.ts';
import type {
  ClaimedDelivery,
  DeliveryKey,
  Prefetched,
  ReadDeliveries,
  UnreadDelivery,
} from '../../lane-queue.ts';
import {
  claimedDelivery,
  deliveryKey,
  type QueuedDelivery,
} from '../../shared/deliveries/claimed-delivery.ts';
import { storedEvent, type EventRow } from '../../shared/events/event-record.ts';
import { MAX_READ_BYTES, queueRows } from '../../shared/deliveries/queued-rows.ts';
import { sessionOf } from '../database/connections/transaction.ts';
import { storeError } from '../database/connections/store-error.ts';
import { isOfDays } from '../events/content-days.ts';
import type { Connection } from '../sql/connection.ts';
import { unnestOf } from '../sql/expressions.ts';
import type { Started } from './lanes.ts';

/** The row of a delivery that is marked running, with the lease that it is marked with. */
export type StartedRow = QueuedDelivery & Started & { readonly holder: number };

/** Prefetched deliveries whose events one query reads. */
const READ_AHEAD = 256;

const LOST = 'another process may have taken it over';

type EventWithBody = EventRow & { readonly body: string | null; readonly headers: string | null };

/** Reads the events of deliveries in flight: at once, or, for prefetched ones, shortly before they run. */
export interface ReadClaimed {
  /** Adds the events to deliveries, in the same order. Never rejects. */
  withEvents(rows: readonly StartedRow[]): Promise<readonly (ClaimedDelivery | UnreadDelivery)[]>;
  /** As `withEvents`, split by whether the events could be read. */
  read(rows: readonly StartedRow[]): Promise<ReadDeliveries>;
  prefetched(rows: readonly StartedRow[]): Prefetched;
}

/**
 * Events are read in a transaction of their own, so that the one that holds locks carries no bodies. That is safe:
 * retention leaves an event that waits, and an erasure that comes between leaves a payload without the person.
 *
 * @param mayStart whether deliveries that were claimed under a lease are still this process's own
 */
export function createReadClaimed(
  { dispatch, ids, dataOf }: Connection,
  { mayStart }: { readonly mayStart: (holder: number) => boolean },
): ReadClaimed {
  // A transaction of its own, which has the named statements of `dispatch`.
  const session = sessionOf(dispatch);

  /**
   * Reads the first events, as many as fit into `most` bytes; at least one. The query can be planned for the
   * partitions of their days alone; with few days, PostgreSQL may keep a plan for all of them.
   */
  function readEvents(received: ReadonlyMap<number, number>, most: number): Promise<EventWithBody[]> {
    const events = [...received.keys()];
    return session.rows(
      sql<EventWithBody>`
        select event_id, kind, recognized, verdict, flags, version, received_at, repeats, last_repeat_at, message_id,
          message_trusted, source, family, entity, convert_from(contents, 'UTF8') as body, headers
        from (
          select wanted.place, events.id as event_id, events.kind, events.recognized, events.verdict, events.flags,
            events.version, events.received_at, coalesce(event_repeats.repeats, 0) as repeats,
            event_repeats.last_repeat_at, events.message_id,
            (events.message_key is not null)::integer as message_trusted,
            subjects.source, subjects.family, subjects.entity, event_contents.body as contents,
            event_contents.headers,
            sum(octet_length(event_contents.body)) over (order by wanted.place) as bytes
          from ${unnestOf('wanted', events, { id: ['bigint', (id) => id], place: 'place' })}
          join events on events.id = wanted.id
          join subjects on subjects.id = events.subject_id
          left join event_repeats on event_repeats.event_id = events.id
          left join event_contents on event_contents.event_id = events.id
            and event_contents.received_at = events.received_at
            and ${isOfDays('event_contents.received_at', [...received.values()])}
        ) as found
        where coalesce(bytes, 0) <= ${most}::double precision or place = 1
        order by place`,
    );
  }

  /** A new object for each delivery: a handler may change its event. */
  function claimedOf(row: StartedRow, event: EventWithBody): ClaimedDelivery {
    return claimedDelivery(row, storedEvent(event, ids, dataOf), event.headers);
  }

  function unreadOf(row: StartedRow, reason: string): UnreadDelivery {
    return { ...deliveryKey(row), event: null, reason };
  }

  /** Reads the first deliveries whose bodies fit. */
  async function fitting(
    rows: readonly StartedRow[],
    most: number,
  ): Promise<readonly (ClaimedDelivery | UnreadDelivery)[]> {
    if (rows.length === 0) return [];
    try {
      const received = new Map(rows.map((row) => [row.event_id, row.received_at]));
      const wanted = [...received.keys()];
      const found = new Map((await readEvents(received, most)).map((event) => [event.event_id, event]));
      // Those from the first one that did not fit are left; an event that is missing was not among them.
      const last = wanted.findLastIndex((event) => found.has(event));
      const covered = new Set(most === Infinity ? wanted : wanted.slice(0, last + 1));
      const count = rows.findIndex((row) => !covered.has(row.event_id));
      return rows.slice(0, count === -1 ? rows.length : Math.max(1, count)).map((row) => {
        const event = found.get(row.event_id);
        return event === undefined
          ? unreadOf(row, `event ${String(row.event_id)} is missing`)
          : claimedOf(row, event);
      });
    } catch (error) {
      // Read one by one, so that one unreadable event leaves the others readable.
      if (rows.length > 1 && !isUnreachable(error))
        return (await Promise.all(rows.map((row) => fitting([row], Infinity)))).flat();
      const reason = failureReason(storeError(error, 'PostgreSQL'));
      return rows.map((row) => unreadOf(row, reason));
    }
  }

  const split = (all: readonly (ClaimedDelivery | UnreadDelivery)[]): ReadDeliveries => ({
    deliveries: all.filter((one) => one.event !== null),
    unread: all.filter((one) => one.event === null),
  });

  const withEvents: ReadClaimed['withEvents'] = (rows) => fitting(rows, Infinity);

  return {
    withEvents,
    read: async (rows) => split(await withEvents(rows)),
    prefetched(started) {
      const rows = queueRows(started, (row) => deliveryKey(row));
      const holder = started[0]?.holder ?? 0;
      /** Those whose events are read: a query for each few of them would take longer than the rest. */
      let ready: readonly (ClaimedDelivery | UnreadDelivery)[] = [];
      return {
        left: () => ready.length + rows.left(),
        handlers: () => rows.handlers(),
        withdraw(handlers) {
          const isUnwanted = ({ handler }: DeliveryKey): boolean => handlers.includes(handler);
          const withdrawn = ready.filter(isUnwanted);
          ready = ready.filter((one) => !isUnwanted(one));
          return [...withdrawn, ...rows.withdraw(handlers)];
        },
        async next(most) {
          if (!mayStart(holder)) {
            const left = rows.first(rows.left()).map((row) => unreadOf(row, LOST));
            const lost = ready.map((one) => ({ ...one, event: null, reason: LOST }));
            rows.take(left.length);
            ready = [];
            return { deliveries: [], unread: [...lost, ...left] };
          }
          if (ready.length === 0) {
            ready = await fitting(rows.first(READ_AHEAD), MAX_READ_BYTES);
            rows.take(ready.length);
          }
          const next = ready.slice(0, most);
          ready = ready.slice(next.length);
          return split(next);
        },
      };
    },
  };
}

/** Whether the database gave no answer, so that reading one by one would wait for each. */
function isUnreachable(error: unknown): boolean {
  return storeError(error, 'PostgreSQL').code === 'store-busy';
}
