import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import { readBodies, type ContentKey } from './contents.ts';
import type { Connection } from '../sql/connection.ts';
import { arrayOf } from '../sql/expressions.ts';

/** Bytes of bodies that one statement reads, after the first body. */
const MAX_BATCH_BYTES = 512 * 1024;

/** An event with its body as text; null once pruned. */
interface WithBody<E> {
  readonly event: E;
  readonly body: string | null;
}

/** Reads bodies for searches: in the given order, a few at a time, because each may have megabytes. */
export function createBodyReads({ read }: Connection): {
  bodiesOf<E extends ContentKey>(events: readonly E[]): AsyncGenerator<WithBody<E>>;
} {
  async function sizesOf(events: readonly ContentKey[]): Promise<ReadonlyMap<number, number>> {
    const rows = await read.rows(sql<{ id: number; bytes: number }>`
      select event_id as id, octet_length(body) as bytes from event_contents where ${areAmong(events)}`);
    return new Map(rows.map(({ id, bytes }) => [id, bytes]));
  }

  return {
    async *bodiesOf(events) {
      if (events.length === 0) return;
      const sizes = await sizesOf(events);
      for (let at = 0; at < events.length;) {
        const batch = events.slice(at, at + fitting(events.slice(at), sizes));
        const bodies = await readBodies(read, batch);
        for (const event of batch) yield { event, body: textOf(bodies.get(event.id)) };
        at += batch.length;
      }
    },
  };
}

function textOf(body: Uint8Array | undefined): string | null {
  return body === undefined ? null : Buffer.from(body).toString();
}

/** The partitions of other days are left out when the statement is planned. */
function areAmong(events: readonly ContentKey[]) {
  const times = events.map(({ receivedAt }) => receivedAt);
  const ids = events.map(({ id }) => id);
  return sql<boolean>`event_id = any(${arrayOf(ids, 'bigint')})
    and received_at between ${Math.min(...times)} and ${Math.max(...times)}`;
}

/** Returns how many bodies, from the first on, one statement reads. */
function fitting(events: readonly ContentKey[], sizes: ReadonlyMap<number, number>): number {
  let sum = 0;
  const at = events.findIndex(({ id }, index) => {
    sum += sizes.get(id) ?? 0;
    return sum > MAX_BATCH_BYTES && index > 0;
  });
  return at === -1 ? events.length : at;
}
