/** SIGTERM: stop accepting, finish or hand back what runs, exit 0. */
import { expect, test } from 'vitest';
import { charge } from '../support/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { rows, serve } from '../support/running-portaria.ts';
import { recording, workshop, type Workshop } from '../support/workshop.ts';

const waitsAtTheGate = (place: Workshop) => `${recording(place)}
  export default defineHandler({
    name: 'waits',
    on: 'charge.*',
    async handle({ data }, { attempt, signal }) {
      record('begin ' + data.id + ' try ' + attempt);
      await opened('gate', signal);
      record('end ' + data.id);
    },
  });`;

const environment = (place: Workshop, grace: string) => ({
  PORTARIA_DATABASE: place.database,
  PORTARIA_HANDLERS: place.handlers,
  PORTARIA_SHUTDOWN_GRACE_MS: grace,
});

test('idle, it exits 0 at SIGTERM and leaves no write-ahead log to recover', async () => {
  const place = workshop();
  const running = await serve({ PORTARIA_DATABASE: place.database });
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0, signal: null });
});

test('a handler under way may finish within the grace', async () => {
  const place = workshop();
  place.writeHandler('waits.ts', waitsAtTheGate(place));
  const env = environment(place, '60000');
  const running = await serve(env);
  await running.post(charge(1, 1));
  await eventually('it is under way', () => place.recorded().includes('begin 1 try 1'));

  running.kill('SIGTERM');
  await eventually('nothing is accepted any more', () =>
    running.post(charge(2, 1)).then(
      ({ status }) => status === 503,
      () => true,
    ),
  );
  place.open('gate');

  expect(await running.ended).toMatchObject({ code: 0 });
  // A webhook that came just in time may have been stored, even begun and handed back.
  expect(place.recorded().filter((line) => !line.includes(' 2'))).toEqual(['begin 1 try 1', 'end 1']);
  expect(await rows(['deliveries', 'list', '--subject', 'charge:1'], env)).toMatchObject([
    { status: 'succeeded', attempts: 1 },
  ]);
});

test('a handler that outlasts the grace is handed back without losing a try, and runs at the next start', async () => {
  const place = workshop();
  place.writeHandler('waits.ts', waitsAtTheGate(place));
  const env = environment(place, '50');
  const running = await serve(env);
  await running.post(charge(1, 1));
  await eventually('it is under way', () => place.recorded().includes('begin 1 try 1'));

  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(await rows(['deliveries', 'list'], env)).toMatchObject([{ status: 'pending', attempts: 0 }]);

  place.open('gate');
  await serve(env);
  await eventually('it is done', () => place.recorded().includes('end 1'));
  expect(place.recorded()).toEqual(['begin 1 try 1', 'begin 1 try 1', 'end 1']);
});
