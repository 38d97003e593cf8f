import { sql } from 'kysely';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** The number of an event and when it was received, in milliseconds since 1970. */
export interface ContentKey {
  readonly id: number;
  readonly receivedAt: number;
}

/** The maximum bytes of bodies that one query returns, unless one body has more. */
const MAX_QUERY_BYTES = 1024 * 1024;

/**
 * Reads the bodies of events, a bounded number of bytes at a time. Pruned events have none.
 *
 * The times of the events are parameters, so that a query is planned for the partitions of their days alone.
 */
export async function readBodies(
  session: Session,
  events: readonly ContentKey[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const bodies = new Map<number, Uint8Array>();
  let left = events.toSorted((one, other) => one.id - other.id);
  while (left.length > 0) {
    const rows = await session.rows(sql<{ id: number; body: Uint8Array }>`
      select event_id as id, body from (
        select event_id, body,
          sum(octet_length(body)) over (order by event_id) - octet_length(body) as bytes_before
        from event_contents where ${ofEvents(left)}
      ) as contents
      where bytes_before < ${MAX_QUERY_BYTES}`);
    for (const { id, body } of rows) bodies.set(id, body);
    const last = Math.max(-1, ...rows.map(({ id }) => id));
    left = rows.length === 0 ? [] : left.filter(({ id }) => id > last);
  }
  return bodies;
}

/** Reads the headers and the body of an event; undefined once pruned. */
export function readContent(session: Session, event: ContentKey) {
  return session.first(sql<{ headers: string; body: Uint8Array }>`
    select headers, body from event_contents where ${ofEvents([event])}`);
}

/** The condition on rows of `event_contents`. */
function ofEvents(events: readonly ContentKey[]) {
  const ids = events.map(({ id }) => id);
  const times = [...new Set(events.map(({ receivedAt }) => receivedAt))];
  return sql<boolean>`${isAnyOf('event_id', ids, 'bigint')} and ${isAnyOf('received_at', times, 'bigint')}`;
}
