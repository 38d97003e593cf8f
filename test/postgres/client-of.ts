import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { Store } from '../../src/store/store.ts';

/** Connects to the database of a store beside it, as another program would. Disconnected when the test ends. */
export async function clientOf({ location }: Pick<Store, 'location'>): Promise<pg.Client> {
  const url = new URL(inject('postgresUrl'));
  url.pathname = new URL(location).pathname;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
