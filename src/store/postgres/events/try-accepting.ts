/** Tries whether a webhook can be stored: does all that this takes, undoes it, and commits a write. */
import { sql } from 'kysely';
import { createCountChanges } from '../statistics/count-changes.ts';
import { createKeyed } from '../privacy/keyed-digest.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import type { Connection } from '../sql/connection.ts';
import { acceptBatch } from './accept-batch.ts';
import { createContentDays } from './content-days.ts';

/** Rejects as the store would, for a webhook that arrives now. */
export async function tryAccepting(connection: Connection, { session }: Transaction): Promise<void> {
  const receivedAt = connection.clock.now();
  const event = {
    delivery: {
      source: '',
      senderVerified: false,
      receivedAt,
      messageId: null,
      headers: '{}',
      body: new Uint8Array(1),
    },
    kind: '',
    recognized: true,
    flags: [],
    subject: { family: '', id: '' },
    formerId: null,
    digest: new Uint8Array(32),
    messageDigest: null,
    version: null,
  };
  const deps = {
    keyed: await createKeyed(session)(),
    countedAs: (kind: string) => kind,
    waits: true,
    requireTimely: () => undefined,
  };
  let written: Promise<unknown> | undefined;
  const unawaited = (writes: Promise<unknown>) => void (written = writes);
  await session.run(sql`savepoint attempt`);
  await createContentDays((work) => work(session)).ensure([receivedAt]);
  await acceptBatch(connection, deps, { session, counts: createCountChanges(), unawaited }, [
    { event, routes: [] },
  ]);
  await written;
  await session.run(sql`rollback to savepoint attempt`);
  // A transaction that finds nothing to write succeeds on a full disk, too, and proves nothing.
  await session.run(sql`update store set created_at = created_at where id = 1`);
}
