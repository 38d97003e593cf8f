import { isDeepStrictEqual } from 'node:util';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Body, TimedResponse } from './senders/poster.ts';

/** The statuses that a webhook may get for its body. */
const EXPECTED_STATUSES = [200, 202, 400, 422];

/** Opens the database of a running Portaria from this process. */
export async function openBeside(database: string): Promise<Store> {
  const store = await openSqliteStore({ path: database, role: 'guest', clock: systemClock });
  onTestFinished(() => store.close());
  return store;
}

/**
 * Checks the response to a body against the store. Returns the problem, if any: an unexpected status,
 * or a stored body that differs from the one sent. A repeat is stored only once, so its bytes may
 * differ as long as they mean the same.
 */
export async function problemWith(
  store: Store,
  sent: Body,
  response: TimedResponse,
): Promise<string | undefined> {
  const { status, id } = response;
  if (!EXPECTED_STATUSES.includes(status)) return `status ${String(status)}`;
  const stored =
    status === 400 || status === 422 ? await store.quarantinedDelivery(id) : await store.event(id);
  if (stored?.body == null) return `status ${String(status)}, but ${id} is not stored`;
  const same = Buffer.from(stored.body).equals(bytesOf(sent));
  return same || (status === 200 && meansTheSame(stored.body, sent))
    ? undefined
    : `status ${String(status)}, but ${id} has another body`;
}

function meansTheSame(one: Uint8Array, other: Body): boolean {
  return isDeepStrictEqual(meaning(bytesOf(one)), meaning(bytesOf(other)));
}

function meaning(body: Buffer): unknown {
  // JSON.stringify writes -0 as 0, so the two count as equal.
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
