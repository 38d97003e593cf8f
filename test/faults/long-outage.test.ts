/**
 * Given two receivers whose handlers are slow, and a PostgreSQL whose processes all stop for longer than a lease:
 * handlers that ran go on, some end during the outage and some after it, and no other process begins them again
 * meanwhile. Senders have a 503 in time.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { LEASE_MS } from '../../src/store/postgres/database/connections/lease.ts';
import { eventually } from '../support/eventually.ts';
import { expectBelow } from '../support/measured.ts';
import { need } from './kit/needs.ts';
import { createDatabase, postgresOfTest, startReceivers } from './kit/programs/receivers.ts';
import { chargeBody } from './kit/senders/webhooks.ts';

/** Longer than a lease, shorter than the slow half of the handlers. */
const OUTAGE_MS = LEASE_MS + 2_000;
/** Milliseconds that a sender waits for its response, and some of a busy machine. */
const MAX_WAIT_MS = 11_000;

test('an outage of PostgreSQL that outlasts the leases', async (context) => {
  need(context, 'postgres');
  const server = await postgresOfTest();
  const receivers = await startReceivers(await createDatabase(server), [{}, {}]);
  await receivers.acknowledgedMore(60);
  const slow = join(receivers.workspace.folder, 'slow');
  writeFileSync(slow, '');
  const running = () => {
    const lines = receivers.workspace.recorded();
    const begun = lines.filter((line) => line.startsWith('begin '));
    const ended = lines.filter((line) => / (?:done|failed)$/u.test(line));
    return begun.length - ended.length;
  };
  await eventually('many handlers run', () => running() >= 12);

  server.freeze();
  const inFlight = running();
  // An attempt of 4 seconds ends during the outage, one of 14 after it.
  const attemptEnds = eventually('an attempt ends', () => running() < inFlight);
  const thawed = Promise.all([pause(OUTAGE_MS), attemptEnds]).then(() => {
    server.thaw();
    return inFlight - running();
  });
  const sentAt = performance.now();
  const { status } = await fetch(receivers.running[0]?.url ?? '', {
    ...{ method: 'POST', body: chargeBody(99, 1) },
  });
  const waitedMs = Math.round(performance.now() - sentAt);
  const ended = await thawed;
  rmSync(slow);
  await receivers.acknowledgedMore(60);

  const { handledTwice } = await receivers.finish('a long outage', {
    'in flight': inFlight,
    'ended during it': ended,
    'response to a webhook': `${String(status)} after ${String(waitedMs)} ms`,
  });
  expectBelow(MAX_WAIT_MS, waitedMs, 'milliseconds until the response');
  // Each process had its lease again, so no attempt was for nothing.
  expectBelow(1, handledTwice, 'deliveries that were handled twice');
});
