/**
 * Given `kill -9` under load: every acknowledged event is handled, in order.
 * test/faults/kill-9.test.ts kills again and again.
 */
import { expect, test } from 'vitest';
import { allHandled } from '../faults/kit/statistics.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, createWorkspace } from '../support/workspace.ts';

const SUBJECTS = 6;

/** Posts increasing amounts of one charge until the process ends. Collects the acknowledged amounts. */
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
    // The process was killed: the connection is refused or reset.
  }
}

test('events acknowledged before kill -9 are handled after the restart, in order, and a run in flight counts as an attempt', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'charges.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'charges',
      on: 'charge.*',
      async handle({ data }, { attempt, signal }) {
        if (data.id === 99) {
          record('try ' + attempt);
          await opened('gate', signal);
        }
        record(data.id + ' ' + data.amount);
      },
    });`,
  );
  const env = workspace.settings;
  const acknowledged: string[] = [];
  let amount = 0;

  const running = await serve(env);
  await running.post(charge(99, 1));
  await eventually('its handler is running', () => workspace.recorded().includes('try 1'));
  const senders = Array.from({ length: SUBJECTS }, (_, id) =>
    postUntilGone(
      running,
      id,
      () => ++amount,
      (charged, sent) => acknowledged.push(`${String(charged)} ${String(sent)}`),
    ),
  );
  await eventually('enough is acknowledged', () => acknowledged.length >= 40);
  running.kill('SIGKILL');
  await Promise.all([...senders, running.ended]);

  workspace.open('gate');
  await allHandled(await serve(env));

  const handled = workspace.recorded();
  expect(handled.filter((line) => /^try|^99/.test(line))).toEqual(['try 1', 'try 2', '99 1']);
  const missing = acknowledged.filter((line) => !handled.includes(line));
  expect(missing).toEqual([]);
  for (let id = 0; id < SUBJECTS; id++) {
    const amounts = handled
      .filter((line) => line.startsWith(`${String(id)} `))
      .map((line) => Number(line.split(' ')[1]));
    // Only runs in flight at the kill are repeated, and the order is kept.
    const inOrder = [...new Set(amounts)];
    expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
    expect(amounts.length - inOrder.length).toBeLessThanOrEqual(1);
  }
});
