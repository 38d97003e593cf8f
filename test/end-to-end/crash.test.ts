/** `kill -9` at any moment: whatever was acknowledged is handled, in its order. */
import { expect, test } from 'vitest';
import { charge } from '../support/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { rows, serve, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, workshop } from '../support/workshop.ts';

const SUBJECTS = 6;
const ROUNDS = 3;

/** Posts rising amounts to one charge until the process is gone; the amounts that were acknowledged. */
async function postUntilGone(
  running: RunningPortaria,
  id: number,
  amounts: () => number,
  acknowledged: (id: number, amount: number) => void,
): Promise<void> {
  try {
    for (;;) {
      const amount = amounts();
      const { status } = await running.post(charge(id, amount));
      if (status === 202) acknowledged(id, amount);
    }
  } catch {
    // The connection is refused or reset: killed.
  }
}

test('what was acknowledged before kill -9 is handled after the restart, in order', async () => {
  const place = workshop();
  place.writeHandler(
    'charges.ts',
    `${recording(place)}
    export default defineHandler({
      name: 'charges',
      on: 'charge.*',
      handle({ data }) {
        record(data.id + ' ' + data.amount);
      },
    });`,
  );
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
  const acknowledged: string[] = [];
  let amount = 0;

  for (let round = 1; round <= ROUNDS; round++) {
    const running = await serve(env);
    const before = acknowledged.length;
    const senders = Array.from({ length: SUBJECTS }, (_, id) =>
      postUntilGone(
        running,
        id,
        () => ++amount,
        (charged, sent) => acknowledged.push(`${String(charged)} ${String(sent)}`),
      ),
    );
    await eventually('enough is acknowledged', () => acknowledged.length >= before + 40);
    running.kill('SIGKILL');
    await Promise.all([...senders, running.ended]);
  }

  await serve(env);
  await eventually('nothing is left to do', async () => {
    const pending = await rows(['deliveries', 'list', '--status', 'pending', '--limit', '1'], env);
    const under = await rows(['deliveries', 'list', '--status', 'running', '--limit', '1'], env);
    return pending.length + under.length === 0;
  });

  const handled = place.recorded();
  const missing = acknowledged.filter((line) => !handled.includes(line));
  expect(missing).toEqual([]);
  for (let id = 0; id < SUBJECTS; id++) {
    const amounts = handled
      .filter((line) => line.startsWith(`${String(id)} `))
      .map((line) => Number(line.split(' ')[1]));
    // What ran when the process died runs again; nothing else repeats, and nothing overtakes.
    const inOrder = [...new Set(amounts)];
    expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
    expect(amounts.length - inOrder.length).toBeLessThanOrEqual(ROUNDS);
  }
});

test('an event whose handler was under way when the process died is tried again, and the try counts', async () => {
  const place = workshop();
  place.writeHandler(
    'slow.ts',
    `${recording(place)}
    export default defineHandler({
      name: 'slow',
      on: 'charge.*',
      async handle({ data }, { attempt, signal }) {
        record('begin ' + attempt);
        await opened('gate', signal);
        record('end ' + attempt);
      },
    });`,
  );
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
  const first = await serve(env);
  await first.post(charge(1, 1));
  await eventually('it is under way', () => place.recorded().includes('begin 1'));
  first.kill('SIGKILL');
  await first.ended;

  place.open('gate');
  await serve(env);

  await eventually('it is done', () => place.recorded().includes('end 2'));
  expect(place.recorded()).toEqual(['begin 1', 'begin 2', 'end 2']);
});
