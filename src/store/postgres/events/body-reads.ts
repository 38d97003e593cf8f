/** Reads the bodies of many events, within a bound of memory. */
import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { isOfDays } from './content-days.ts';
import { readBodies, type ContentKey } from './contents.ts';

/** Bytes of bodies that are held at a time, unless one body has more. */
const MAX_HELD_BYTES = 512 * 1024;

interface ReadBody<E> {
  readonly event: E;
  readonly body: string | null;
  /** Whether the next body must be read from the database. */
  readonly isLastHeld: boolean;
}

/**
 * Reads bodies for a search, in the given order, a few at a time: each may have megabytes, and a search may end at
 * any of them. The body of a pruned event is null.
 */
export async function* bodiesOf<E extends ContentKey>(
  session: Session,
  events: readonly E[],
): AsyncGenerator<ReadBody<E>> {
  if (events.length === 0) return;
  const sizes = await sizesOf(session, events);
  for (let at = 0; at < events.length;) {
    const batch = events.slice(at, at + fitting(events.slice(at), sizes));
    const bodies = await readBodies(session, batch);
    for (const [index, event] of batch.entries()) {
      const body = bodies.get(event.id);
      const text = body === undefined ? null : Buffer.from(body).toString();
      yield { event, body: text, isLastHeld: index === batch.length - 1 };
    }
    at += batch.length;
  }
}

/** The bytes of bodies. The partitions of other days are left out when the statement is planned. */
export async function sizesOf(
  session: Session,
  events: readonly ContentKey[],
): Promise<ReadonlyMap<number, number>> {
  const times = events.map(({ receivedAt }) => receivedAt);
  const ids = events.map(({ id }) => id);
  const rows = await session.rows(sql<{ id: number; bytes: number }>`
    select event_id as id, octet_length(body) as bytes from event_contents
    where ${isAnyOf('event_id', ids, 'bigint')} and ${isOfDays('received_at', times)}`);
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/** Returns how many bodies, from the first on, are read together. */
function fitting(events: readonly ContentKey[], sizes: ReadonlyMap<number, number>): number {
  let sum = 0;
  const at = events.findIndex(({ id }, index) => {
    sum += sizes.get(id) ?? 0;
    return sum > MAX_HELD_BYTES && index > 0;
  });
  return at === -1 ? events.length : at;
}
