import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { Store } from '../../../src/store/store.ts';

/** Returns the address of a store's database, with the password that the store's location leaves out. */
export function addressOf({ location }: Pick<Store, 'location'>): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = new URL(location).pathname;
  return url.href;
}

/** Connects to the database of a store as another program would; disconnects when the test ends. */
export async function rawClient(store: Pick<Store, 'location'>): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: addressOf(store) });
  // The tests of lost connections end this one, too.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Sets the last heartbeats of all processes to this long ago, such as `7 seconds`. Their leases last longer in tests. */
export async function setHeartbeatsBack(client: pg.Client, ago: string): Promise<void> {
  await client.query(
    `set session_replication_role = replica; update leases set seen_at = clock_timestamp() - interval '${ago}';
     reset session_replication_role`,
  );
}

/** Returns once so many sessions of the database wait for a lock. */
export async function untilWaiting(client: pg.Client, sessions: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ waiting: number }>(
      `select count(*)::integer as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if ((rows[0]?.waiting ?? 0) >= sessions) return;
  }
}
