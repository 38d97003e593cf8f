/** Given a handler that modifies its event: no other run sees the changes. */
import { expect, test } from 'vitest';
import { charge } from '../support/webhooks/envelopes.ts';
import { serve } from '../support/running-portaria.ts';
import { recording, createWorkspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { allHandled } from './kit/statistics.ts';

test('changes to an event are not visible to the next attempt, to other handlers or to machines', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'modifies.ts',
    `${recording(workspace)}
    // @ts-nocheck
    import { defineMachine } from 'portaria';
    const seen = ({ kind, subject, flags, data }) =>
      JSON.stringify([kind, subject, flags, data.id, data.amount, Object.keys(data).length]);
    export const modifies = defineHandler({
      name: 'modifies',
      on: 'charge.*',
      retry: { attempts: 3, baseMs: 1, maxMs: 1 },
      handle(event, { attempt }) {
        record('modifies ' + seen(event));
        event.data.amount = 'changed';
        event.data.id = -1;
        for (const field of ['status', 'type', 'toJSON']) delete event.data[field];
        event.subject.id = 'changed';
        event.flags.push('changed');
        if (attempt % 2 === 1) Object.freeze(event.data);
        if (attempt < 3) throw new Error('again');
      },
    });
    export const reads = defineHandler({
      name: 'reads',
      on: 'charge.*',
      async handle(event) {
        await pause(20);
        record('reads ' + seen(event));
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
      effects: { entered: { when: () => true, run: ({ event }) => record('effect ' + seen(event)) } },
    });`,
  );
  const running = await serve({
    ...workspace.settings,
  });
  const posted = 5;
  for (let id = 0; id < posted; id += 1) expect((await running.post(charge(id, 7))).status).toBe(202);

  const { deliveries } = await allHandled(running);

  expect(deliveries).toMatchObject({ dead: 0, succeeded: 4 * posted });
  const seen = new Map<string, number>();
  for (const line of workspace.recorded()) seen.set(line, (seen.get(line) ?? 0) + 1);
  const expected = Array.from({ length: posted }, (_, id) => {
    const whole = JSON.stringify(['charge.updated', { family: 'charge', id: String(id) }, [], id, 7, 4]);
    return [
      [`modifies ${whole}`, 3],
      [`reads ${whole}`, 1],
      [`effect ${whole}`, 1],
    ] as const;
  });
  expect(seen).toEqual(new Map(expected.flat()));
  printFigures('handlers that modify their event', {
    events: posted,
    unmodified: workspace.recorded().length,
  });
});
