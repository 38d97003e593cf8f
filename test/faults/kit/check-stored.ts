import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import type { RunningPortaria } from '../../support/running-portaria.ts';
import type { TimedResponse } from './senders/poster.ts';

/** The statuses that a webhook may get for its body when it is sent for the first time. */
const EXPECTED_STATUSES = [202, 400, 422];

/** Opens the database of a running Portaria from this process. */
export async function openBeside(database: string): Promise<Store> {
  const store = await openSqliteStore({ path: database, role: 'guest', clock: systemClock });
  onTestFinished(() => store.close());
  return store;
}

/** Returns what is wrong with the response to a body that was sent once: its status, or what is stored under its id. */
export async function problemWith(
  store: Store,
  sent: string,
  { status, id }: TimedResponse,
): Promise<string | undefined> {
  if (!EXPECTED_STATUSES.includes(status)) return `status ${String(status)}`;
  const stored = status === 202 ? await store.event(id) : await store.quarantinedDelivery(id);
  if (stored?.body == null) return `status ${String(status)}, but ${id} is not stored`;
  return Buffer.from(stored.body).equals(Buffer.from(sent))
    ? undefined
    : `status ${String(status)}, but ${id} has another body`;
}

/** Checks that Portaria logged no error and sent no 5xx response. */
export function expectNoErrors(running: RunningPortaria): void {
  expect(running.written()).not.toMatch(/"level":[56]0|"status":5(?!01)\d\d/u);
}
