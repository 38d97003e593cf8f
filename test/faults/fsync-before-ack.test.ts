/** Nothing is answered before it is on the disk: shown by the system calls themselves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServe } from '../support/running-portaria.ts';
import { workshop } from '../support/workshop.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { need } from './kit/needs.ts';
import { createSenders } from './kit/senders.ts';
import { isSync, parseTrace, strace, type SystemCall } from './kit/system-calls.ts';
import { chargeBody } from './kit/webhooks.ts';

const SENDERS = 8;
const EACH = 25;

const calls = 'trace=pwrite64,pwritev,fsync,fdatasync,write,writev,sendto,sendmsg';

interface Told {
  /** What only this body has in it. */
  readonly token: string;
  /** What only its answer has in it. */
  readonly answer: string;
}

/** What became of one webhook, in the order in which it must have come about. */
function wayOf({ token, answer }: Told, trace: readonly SystemCall[], log: string) {
  const inStrace = (text: string): string => text.replaceAll('"', String.raw`\"`);
  const written = trace.find(
    (call) => call.name.startsWith('pwrite') && call.file === log && call.text.includes(inStrace(token)),
  );
  const synced = trace.find(
    (call) =>
      isSync(call) &&
      call.file === log &&
      call.result === 0 &&
      call.startedAt > (written?.endedAt ?? Infinity),
  );
  const answered = trace.find(
    (call) =>
      call.file.startsWith('socket:') &&
      call.text.includes('HTTP/1.1 ') &&
      call.text.includes(inStrace(answer)),
  );
  return { written: written?.endedAt, synced: synced?.endedAt, answered: answered?.startedAt };
}

test('every answer leaves after the sync that follows the write of its webhook', async (context) => {
  need(context, 'strace');
  const place = workshop();
  writeBookkeeping(place);
  const file = join(place.folder, 'trace');
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
  const running = await startServe(env, strace(file, '-e', calls)).ready();

  const told: Told[] = [];
  const turns = Array.from({ length: EACH }, (_, turn) => turn);
  const senders = Array.from({ length: SENDERS }, (_, sender) => sender);
  const bodies = senders.map((sender) => turns.map((turn) => chargeBody(sender, turn)));
  const sending = createSenders(bodies.map((list) => list[Symbol.iterator]()));
  await sending.sendTo(running.url);
  for (const [body, id] of sending.acknowledged) {
    const { code } = (JSON.parse(body) as { data: { code: string } }).data;
    told.push({ token: `"code":"${code}"`, answer: `"id":"${id}"` });
  }
  // What cannot be understood is kept before it is answered, too.
  for (const turn of turns) {
    const { status, body } = await running.post({
      type: 'charge.updated',
      data: { odd: `odd-${String(turn)}` },
    });
    expect(status).toBe(422);
    told.push({ token: `"odd":"odd-${String(turn)}"`, answer: `"id":"${String(body['id'])}"` });
  }
  running.kill('SIGTERM');
  await running.ended;

  const trace = parseTrace(readFileSync(file, 'utf8'));
  const ways = told.map((one) => ({ ...one, ...wayOf(one, trace, `${place.database}-wal`) }));
  const early = ways.filter(
    ({ written = Infinity, synced = Infinity, answered = -1 }) => !(written < synced && synced < answered),
  );
  printFigures('fsync before ack', {
    acknowledged: sending.acknowledged.size,
    quarantined: turns.length,
    syncs: trace.filter(isSync).length,
    'answered-before-sync': early.length,
  });
  expect(told).toHaveLength(SENDERS * EACH + EACH);
  expect(early).toEqual([]);
});
