/** No webhook is acknowledged before it is synced to disk, as the system calls show. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServe } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import {
  chargeExchanges,
  respondedEarly,
  RELEVANT_CALLS,
  type Exchange,
} from './kit/senders/early-responses.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { need } from './kit/needs.ts';
import { createSenders } from './kit/senders/senders.ts';
import { isSync, parseTrace, strace } from './kit/disk/system-calls.ts';
import { chargeBody } from './kit/senders/webhooks.ts';

const SENDERS = 8;
const EACH = 25;

test('every response is sent after the sync that follows the write of its webhook', async (context) => {
  need(context, 'strace');
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  const file = join(workspace.folder, 'trace');
  const env = workspace.settings;
  const running = await startServe(env, strace(file, '-e', RELEVANT_CALLS)).ready();

  const numbers = Array.from({ length: EACH }, (_, number) => number);
  const streams = Array.from({ length: SENDERS }, (_, sender) =>
    numbers.map((number) => chargeBody(sender, number)),
  );
  const senders = createSenders(streams.map((bodies) => bodies[Symbol.iterator]()));
  await senders.sendTo(running.url);
  // Quarantined webhooks are synced before the response too.
  const quarantined: Exchange[] = [];
  for (const number of numbers) {
    const odd = `odd-${String(number)}`;
    const { status, body } = await running.post({ type: 'charge.updated', data: { odd } });
    expect(status).toBe(422);
    quarantined.push({ token: `"odd":"${odd}"`, response: `"id":"${String(body['id'])}"` });
  }
  running.kill('SIGTERM');
  await running.ended;

  const trace = parseTrace(readFileSync(file, 'utf8'));
  const exchanges = [...chargeExchanges(senders.acknowledged), ...quarantined];
  const early = respondedEarly(exchanges, trace, `${workspace.database}-wal`);
  printFigures('fsync before ack', {
    acknowledged: senders.acknowledged.size,
    quarantined: quarantined.length,
    syncs: trace.filter(isSync).length,
    'responded-before-sync': early.length,
  });
  expect(exchanges).toHaveLength(SENDERS * EACH + EACH);
  expect(early).toEqual([]);
});
