/** Handlers that change what they are given: nobody else is given that. */
import { expect, test } from 'vitest';
import { charge } from '../support/envelopes.ts';
import { serve } from '../support/running-portaria.ts';
import { recording, workshop } from '../support/workshop.ts';
import { printFigures } from './kit/figures.ts';
import { allHandled } from './kit/statistics.ts';

test('what a handler does to its event, its next try, other handlers and a machine do not see', async () => {
  const place = workshop();
  place.writeHandler(
    'spoils.ts',
    `${recording(place)}
    // @ts-nocheck
    import { defineMachine } from 'portaria';
    const told = ({ kind, subject, flags, data }) =>
      JSON.stringify([kind, subject, flags, data.id, data.amount, Object.keys(data).length]);
    export const spoils = defineHandler({
      name: 'spoils',
      on: 'charge.*',
      retry: { attempts: 3, baseMs: 1, maxMs: 1 },
      handle(event, { attempt }) {
        record('spoils ' + told(event));
        event.data.amount = 'spoiled';
        event.data.id = -1;
        for (const field of ['status', 'type', 'toJSON']) delete event.data[field];
        event.subject.id = 'spoiled';
        event.flags.push('spoiled');
        if (attempt % 2 === 1) Object.freeze(event.data);
        if (attempt < 3) throw new Error('again');
      },
    });
    export const looks = defineHandler({
      name: 'looks',
      on: 'charge.*',
      async handle(event) {
        await pause(20);
        record('looks ' + told(event));
      },
    });
    export const ledger = defineMachine({
      name: 'ledger',
      on: 'charge.*',
      initial: { sum: 0 },
      evolve({ sum }, event) {
        const next = sum + event.data.amount;
        event.data.amount = 1_000;
        return { sum: next };
      },
      effects: { entered: { when: () => true, run: ({ event }) => record('effect ' + told(event)) } },
    });`,
  );
  const running = await serve({ PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers });
  const posted = 20;
  for (let id = 0; id < posted; id += 1) expect((await running.post(charge(id, 7))).status).toBe(202);

  const { deliveries } = await allHandled(running);

  expect(deliveries).toMatchObject({ dead: 0, succeeded: 4 * posted });
  const seen = new Map<string, number>();
  for (const line of place.recorded()) seen.set(line, (seen.get(line) ?? 0) + 1);
  const expected = Array.from({ length: posted }, (_, id) => {
    const whole = JSON.stringify(['charge.updated', { family: 'charge', id: String(id) }, [], id, 7, 4]);
    return [
      [`spoils ${whole}`, 3],
      [`looks ${whole}`, 1],
      [`effect ${whole}`, 1],
    ] as const;
  });
  expect(seen).toEqual(new Map(expected.flat()));
  printFigures('handlers that spoil their event', { events: posted, seenWhole: place.recorded().length });
});
