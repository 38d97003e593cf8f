import { identify } from '../../../src/identify/identify.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { parse } from '../../../src/parse/parse.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import type { Acceptance } from '../../../src/store/inbox.ts';
import type { Route } from '../../../src/store/route.ts';
import type { Store } from '../../../src/store/store.ts';

/** Takes a body into a store the way the process does, without the wire. */
export function acceptBody(
  store: Store,
  body: string,
  { routes = [], receivedAt = systemClock.now() }: { routes?: readonly Route[]; receivedAt?: number } = {},
): Promise<Acceptance> {
  const parsed = parse({
    stage: 'verified',
    source: 'default',
    senderVerified: true,
    receivedAt,
    headers: {},
    body: Buffer.from(body),
    messageId: null,
    messageIdTrusted: false,
  });
  if (parsed.stage === 'rejected') throw new Error(parsed.message);
  return store.accept(identify(parsed), routes);
}

/** Makes a database with these bodies in it, nothing left in its log. */
export async function fillDatabase(
  database: string,
  bodies: Iterable<string>,
  routes: readonly Route[] = [],
): Promise<void> {
  const store = await openSqliteStore({ path: database, role: 'owner', clock: systemClock });
  await Promise.all(Array.from(bodies, (body) => acceptBody(store, body, { routes })));
  await store.close();
}
