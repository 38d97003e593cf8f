/** At SIGTERM, serve stops accepting, finishes or releases running deliveries, and exits with 0. */
import { expect, test } from 'vitest';
import { charge } from '../support/webhooks/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { rows, serve } from '../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';

const waitsAtTheGate = (workspace: Workspace) => `${recording(workspace)}
  export default defineHandler({
    name: 'waits',
    on: 'charge.*',
    async handle({ data }, { attempt, signal }) {
      record('begin ' + data.id + ' try ' + attempt);
      await opened('gate', signal);
      record('end ' + data.id);
    },
  });`;

const environment = (workspace: Workspace, grace: string) => ({
  ...workspace.settings,
  PORTARIA_SHUTDOWN_GRACE_MS: grace,
});

test('a running handler may finish within the grace period', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler('waits.ts', waitsAtTheGate(workspace));
  const env = environment(workspace, '60000');
  const running = await serve(env);
  await running.post(charge(1, 1));
  await eventually('the handler is running', () => workspace.recorded().includes('begin 1 try 1'));

  running.kill('SIGTERM');
  await eventually('no webhook is accepted any more', () =>
    running.post(charge(2, 1)).then(
      ({ status }) => status === 503,
      () => true,
    ),
  );
  workspace.open('gate');

  expect(await running.ended).toMatchObject({ code: 0 });
  // A webhook that arrived just in time may have been stored, and its delivery started and released.
  expect(workspace.recorded().filter((line) => !line.includes(' 2'))).toEqual(['begin 1 try 1', 'end 1']);
  expect(await rows(['deliveries', 'list', '--subject', 'charge:1'], env)).toMatchObject([
    { status: 'succeeded', attempts: 1 },
  ]);
});

test('a delivery that outlasts the grace period is released without using an attempt, and runs at the next start', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler('waits.ts', waitsAtTheGate(workspace));
  const env = environment(workspace, '50');
  const running = await serve(env);
  await running.post(charge(1, 1));
  await eventually('the handler is running', () => workspace.recorded().includes('begin 1 try 1'));

  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(await rows(['deliveries', 'list'], env)).toMatchObject([{ status: 'pending', attempts: 0 }]);

  workspace.open('gate');
  await serve(env);
  await eventually('the handler is done', () => workspace.recorded().includes('end 1'));
  expect(workspace.recorded()).toEqual(['begin 1 try 1', 'begin 1 try 1', 'end 1']);
});
