import { createIdentify } from '../../../src/identify/identify.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import type { Acceptance } from '../../../src/store/inbox.ts';
import type { Route } from '../../../src/store/route.ts';
import type { Store } from '../../../src/store/store.ts';
import { parsedEvent } from '../../support/verified-delivery.ts';
import { specification } from '../../../src/contract/specification.ts';

const identify = createIdentify(specification, (id) => id);

/** Stores a body as the receiver does, without HTTP. */
export function acceptBody(
  store: Store,
  body: string,
  { routes = [], receivedAt = systemClock.now() }: { routes?: readonly Route[]; receivedAt?: number } = {},
): Promise<Acceptance> {
  return store.accept(identify(parsedEvent(body, { receivedAt })), routes);
}

/** Creates a database with these bodies and an empty write-ahead log. */
export async function fillDatabase(
  database: string,
  bodies: Iterable<string>,
  routes: readonly Route[] = [],
): Promise<void> {
  const store = await openSqliteStore({ path: database, role: 'owner', clock: systemClock });
  await Promise.all(Array.from(bodies, (body) => acceptBody(store, body, { routes })));
  await store.close();
}
