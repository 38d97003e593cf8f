/** A folder of user-written handlers, run by the real process. */
import { expect, test } from 'vitest';
import { allHandled } from '../faults/kit/statistics.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { portaria, rows, serve } from '../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';

const environment = ({ database, handlers }: Workspace) => ({
  PORTARIA_DATABASE: database,
  PORTARIA_HANDLERS: handlers,
});

test('a posted webhook reaches a TypeScript handler outside the package, with its data', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'charges.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'charges',
      on: 'charge.*',
      handle(event, { attempt, idempotencyKey }) {
        record([event.kind, event.data.amount, attempt, idempotencyKey].join(' '));
      },
    });`,
  );
  const running = await serve(environment(workspace));

  const { status, body } = await running.post(charge(7, 92.41));

  expect(status).toBe(202);
  expect(body).toMatchObject({ status: 'accepted', kind: 'charge.updated' });
  const recorded = await eventually('the handler has run', () => workspace.recorded().at(0));
  expect(recorded).toBe(`charge.updated 92.41 1 ${String(body['id'])}/charges`);
});

test('events of one subject are handled one at a time, in order, and other subjects concurrently', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'charges.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'charges',
      on: 'charge.*',
      async handle({ data }, { signal }) {
        record('begin ' + data.id + ' ' + data.amount);
        if (data.id === 1) await opened('gate', signal);
        record('end ' + data.id + ' ' + data.amount);
      },
    });`,
  );
  const running = await serve(environment(workspace));

  for (const amount of [1, 2, 3]) await running.post(charge(1, amount));
  await running.post(charge(2, 9));

  await eventually('charge 2 is done', () => workspace.recorded().includes('end 2 9'));
  expect(workspace.recorded().filter((line) => line.includes(' 1 '))).toEqual(['begin 1 1']);

  workspace.open('gate');
  await eventually('charge 1 is done', () => workspace.recorded().includes('end 1 3'));
  expect(workspace.recorded().filter((line) => / 1 \d/.test(line))).toEqual([
    'begin 1 1',
    'end 1 1',
    'begin 1 2',
    'end 1 2',
    'begin 1 3',
    'end 1 3',
  ]);
});

test('a handler that keeps failing leaves a dead letter with the reason, and retry runs it again', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'fragile.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'fragile',
      on: 'charge.*',
      retry: { attempts: 3, baseMs: 1, maxMs: 2 },
      handle({ data }, { attempt }) {
        record('try ' + attempt);
        if (!existsSync(join(folder, 'mended'))) throw new Error('the ledger is closed');
        record('done ' + data.id);
      },
    });`,
  );
  const env = environment(workspace);
  const running = await serve(env);
  await running.post(charge(7, 1));

  await allHandled(running);
  const [dead] = await rows(['deliveries', 'list', '--status', 'dead'], env);
  expect(dead).toMatchObject({ handler: 'fragile', subject: 'charge:7', status: 'dead', attempts: 3 });
  expect(dead?.['last_error']).toContain('the ledger is closed');
  expect(workspace.recorded()).toEqual(['try 1', 'try 2', 'try 3']);

  workspace.open('mended');
  const { code, err } = await portaria(['deliveries', 'retry', String(dead?.['id'])], env);
  expect(err).toBe('');
  expect(code).toBe(0);
  await eventually('the handler is done', () => workspace.recorded().includes('done 7'));
});

test('the shipped handlers are loaded by default', async () => {
  const workspace = createWorkspace();
  const env = { PORTARIA_DATABASE: workspace.database };
  const running = await serve(env);

  const { status } = await running.post(fixture('company.login.started'));
  expect(status).toBe(202);
  await allHandled(running);
  const [state] = await rows(['machines', 'list'], env);
  expect(state).toMatchObject({ machine: 'login-attempt', subject: 'company-login:12' });
});
