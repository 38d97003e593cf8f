/** Nothing is answered before it is on the disk: shown by the system calls themselves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServe } from '../support/running-portaria.ts';
import { workshop } from '../support/workshop.ts';
import { answeredCharges, answeredEarly, TELLING_CALLS, type Answered } from './kit/answered-early.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { need } from './kit/needs.ts';
import { createSenders } from './kit/senders.ts';
import { isSync, parseTrace, strace } from './kit/system-calls.ts';
import { chargeBody } from './kit/webhooks.ts';

const SENDERS = 8;
const EACH = 25;

test('every answer leaves after the sync that follows the write of its webhook', async (context) => {
  need(context, 'strace');
  const place = workshop();
  writeBookkeeping(place);
  const file = join(place.folder, 'trace');
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
  const running = await startServe(env, strace(file, '-e', TELLING_CALLS)).ready();

  const turns = Array.from({ length: EACH }, (_, turn) => turn);
  const streams = Array.from({ length: SENDERS }, (_, sender) =>
    turns.map((turn) => chargeBody(sender, turn)),
  );
  const senders = createSenders(streams.map((bodies) => bodies[Symbol.iterator]()));
  await senders.sendTo(running.url);
  // What cannot be understood is kept before it is answered, too.
  const quarantined: Answered[] = [];
  for (const turn of turns) {
    const odd = `odd-${String(turn)}`;
    const { status, body } = await running.post({ type: 'charge.updated', data: { odd } });
    expect(status).toBe(422);
    quarantined.push({ token: `"odd":"${odd}"`, answer: `"id":"${String(body['id'])}"` });
  }
  running.kill('SIGTERM');
  await running.ended;

  const trace = parseTrace(readFileSync(file, 'utf8'));
  const answered = [...answeredCharges(senders.acknowledged), ...quarantined];
  const early = answeredEarly(answered, trace, `${place.database}-wal`);
  printFigures('fsync before ack', {
    acknowledged: senders.acknowledged.size,
    quarantined: quarantined.length,
    syncs: trace.filter(isSync).length,
    'answered-before-sync': early.length,
  });
  expect(answered).toHaveLength(SENDERS * EACH + EACH);
  expect(early).toEqual([]);
});
