/** A folder of user-written handlers, run by the real process. */
import { expect, test } from 'vitest';
import { allHandled } from '../faults/kit/statistics.ts';
import { charge } from '../support/webhooks/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { portaria, rows, serve } from '../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';

const environment = ({ database, handlers }: Workspace) => ({
  PORTARIA_DATABASE: database,
  PORTARIA_HANDLERS: handlers,
});

test('a TypeScript handler outside the package gets events of one subject in order, of others concurrently, and again in a replay', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'charges.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'charges',
      on: 'charge.*',
      async handle({ kind, data }, { attempt, idempotencyKey, replay, signal }) {
        if (data.id === 3) record([kind, data.amount, attempt, idempotencyKey].join(' '));
        record((replay ? 'again ' : 'begin ') + data.id + ' ' + data.amount);
        if (data.id === 1) await opened('gate', signal);
        record('end ' + data.id + ' ' + data.amount);
      },
    });`,
  );
  const env = environment(workspace);
  const running = await serve(env);
  const ofCharge1 = () => workspace.recorded().filter((line) => / 1 \d$/.test(line));

  for (const amount of [1, 2]) await running.post(charge(1, amount));
  const { status, body } = await running.post(charge(3, 92.41));
  expect(status).toBe(202);
  expect(body).toMatchObject({ status: 'accepted', kind: 'charge.updated' });

  await eventually('charge 3 is done', () => workspace.recorded().includes('end 3 92.41'));
  expect(workspace.recorded()).toContain(`charge.updated 92.41 1 ${String(body['id'])}/charges`);
  expect(ofCharge1()).toEqual(['begin 1 1']);

  workspace.open('gate');
  await eventually('charge 1 is done', () => workspace.recorded().includes('end 1 2'));
  expect(ofCharge1()).toEqual(['begin 1 1', 'end 1 1', 'begin 1 2', 'end 1 2']);

  const replay = await portaria(['replay', '--subject', 'charge:1', '--yes'], env);
  expect(replay.code).toBe(0);
  expect(replay.err).toMatch(/^Handlers of the running process \d+ on \S+ \(Portaria \S+\)\.\n/u);
  expect(ofCharge1().slice(4)).toEqual(['again 1 1', 'end 1 1', 'again 1 2', 'end 1 2']);
  expect(workspace.recorded()).not.toContain('again 3 92.41');
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
