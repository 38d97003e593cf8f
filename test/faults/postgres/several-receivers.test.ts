/**
 * Given three receivers on one PostgreSQL, under load with failing handlers: each is killed in turn, one is
 * stopped for longer than its lease, PostgreSQL crashes. Every acknowledged event is stored once and handled at
 * least once, no lane runs twice at once or out of order, and every machine ends in the same state as without faults.
 */
import { test } from 'vitest';
import { LEASE_MS } from '../../../src/store/postgres/database/connections/lease.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest, startReceivers } from '../kit/programs/receivers.ts';

/** Longer than a lease. */
const FREEZE_MS = 1.5 * LEASE_MS;

test('faults of three receivers and of PostgreSQL lose, double and reorder nothing', async (context) => {
  need(context, 'postgres');
  const server = await postgresOfTest();
  const receivers = await startReceivers(await createDatabase(server), [{}, {}, {}]);

  await receivers.acknowledgedMore(200);
  for (const place of [0, 1, 2]) {
    await receivers.end(place, 'SIGKILL');
    await receivers.acknowledgedMore(100);
    await receivers.start(place);
  }
  await receivers.freeze(0, FREEZE_MS);
  await receivers.acknowledgedMore(200);
  await server.crash();
  await server.restart();
  await receivers.acknowledgedMore(200);
  // How soon its work is taken over is measured by the test of take-over.
  await receivers.end(2, 'SIGKILL');

  await receivers.finish('three receivers');
});
