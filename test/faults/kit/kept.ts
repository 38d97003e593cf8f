import { isDeepStrictEqual } from 'node:util';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Body, TimedAnswer } from './poster.ts';

/** What a webhook may be answered with, whatever its body. */
const ORDINARY = [200, 202, 400, 422];

/** Reads the database of a running Portaria from here, beside it. */
export async function readBeside(database: string): Promise<Store> {
  const store = await openSqliteStore({ path: database, role: 'guest', clock: systemClock });
  onTestFinished(() => store.close());
  return store;
}

/**
 * What is wrong with an answer to a body, if anything: a status that no body
 * deserves, or other bytes in the store than were sent. A repeat is counted on
 * the first, whose bytes may be others that mean the same.
 */
export async function wrongWith(store: Store, sent: Body, answer: TimedAnswer): Promise<string | undefined> {
  const { status, id } = answer;
  if (!ORDINARY.includes(status)) return `answered ${String(status)}`;
  const kept = status === 400 || status === 422 ? await store.quarantinedDelivery(id) : await store.event(id);
  if (kept?.body == null) return `answered ${String(status)} and not kept as ${id}`;
  const same = Buffer.from(kept.body).equals(bytesOf(sent));
  return same || (status === 200 && meansTheSame(kept.body, sent))
    ? undefined
    : `answered ${String(status)}, but ${id} holds something else`;
}

function meansTheSame(one: Uint8Array, other: Body): boolean {
  return isDeepStrictEqual(meaning(bytesOf(one)), meaning(bytesOf(other)));
}

function meaning(body: Buffer): unknown {
  // A negative zero is written 0, so the two are one value.
  const { type, data } = JSON.parse(new TextDecoder().decode(body), (_, value: unknown) =>
    value === 0 ? 0 : value,
  ) as {
    type: unknown;
    data: unknown;
  };
  return { type, data };
}

function bytesOf(body: Body): Buffer {
  return typeof body === 'string'
    ? Buffer.from(body)
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
