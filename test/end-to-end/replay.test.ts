/** Replays by the command line, beside a running serve. */
import { expect, test } from 'vitest';
import { charge } from '../support/webhooks/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { portaria, serve } from '../support/running-portaria.ts';
import { recording, createWorkspace } from '../support/workspace.ts';

test('a replay runs the selected events again, in order and marked as a replay; a dry run, or no --yes without a terminal, runs nothing', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'charges.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'charges',
      on: 'charge.*',
      handle({ data }, { replay }) {
        record((replay ? 'replay ' : 'first ') + data.id + ' ' + data.amount);
      },
    });`,
  );
  const env = { PORTARIA_DATABASE: workspace.database, PORTARIA_HANDLERS: workspace.handlers };
  const running = await serve(env);
  await running.post(charge(1, 10));
  await running.post(charge(1, 20));
  await running.post(charge(2, 30));
  await eventually('every event is handled', () => workspace.recorded().length === 3);

  const plan = await portaria(['replay', '--subject', 'charge:1', '--dry-run'], env);
  expect(plan.err).toMatch(/^Handlers of the running process \d+ on \S+ \(Portaria \S+\)\.\n$/u);
  expect(plan.code).toBe(0);
  expect(plan.out).toMatch(/\b2\b/);
  const unconfirmed = await portaria(['replay', '--subject', 'charge:1'], env);
  expect(unconfirmed.code).toBe(2);
  expect(unconfirmed.err).toContain('--yes');
  expect(workspace.recorded()).toHaveLength(3);

  const replay = await portaria(['replay', '--subject', 'charge:1', '--yes'], env);
  expect(replay.code).toBe(0);
  await eventually('both ran again', () => workspace.recorded().length === 5);
  expect(workspace.recorded().slice(3)).toEqual(['replay 1 10', 'replay 1 20']);
});
