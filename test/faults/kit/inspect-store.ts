import BetterSqlite3 from 'better-sqlite3';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';

/** Opens a store as the command line does: beside the process that owns it, or after its end. */
export async function inspectStore<T>(database: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ database, databaseDirect: null }, { role: 'guest', clock: systemClock });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Returns the id and the body of every stored event, in order of arrival. */
export async function storedBodies(
  store: Store,
): Promise<readonly { readonly id: string; readonly body: string }[]> {
  const events = await store.events({}, { order: 'oldest', limit: 1_000_000 });
  const stored: { id: string; body: string }[] = [];
  for (const { id } of events) {
    const event = await store.event(id);
    stored.push({ id, body: Buffer.from(event?.body ?? []).toString('utf8') });
  }
  return stored;
}

/** Runs SQLite's integrity check. Returns `ok` if it finds no damage. */
export function integrityCheck(database: string): string {
  const connection = new BetterSqlite3(database, { readonly: true });
  try {
    return String(connection.pragma('integrity_check', { simple: true }));
  } finally {
    connection.close();
  }
}
