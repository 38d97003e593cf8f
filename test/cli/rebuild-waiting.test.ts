import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliWorld, violation } from './cli-world.ts';

/** Its effect writes down each change, and whether it came late. */
const ledger = `
  import { appendFileSync } from 'node:fs';
  import { defineMachine } from 'portaria';
  export default defineMachine({
    name: 'ledger', on: 'traffic-violation.*', initial: { status: 'none' },
    evolve: (state, { data }) => ({ status: data.status }),
    effects: {
      onChanged: {
        when: ({ before, after }) => before.status !== after.status,
        run({ before, after, late }) {
          const line = [before.status, after.status, late ? 'late' : 'in time'].join(' ');
          appendFileSync(new URL('../changes.txt', import.meta.url), line + '\\n');
        },
      },
    },
  });`;

const calm = "export default defineHandler({ name: 'calm', on: 'charge.*', handle() {} });";

function openWorld(handlers: Readonly<Record<string, string>>) {
  const world = cliWorld(handlers);
  return {
    ...world,
    rebuild: async () => (await world.run('machines', 'rebuild', '--json')).rows,
    changes: () => readFileSync(join(world.folder, 'changes.txt'), 'utf8').trimEnd().split('\n'),
  };
}

test('given events that wait for their first fold: a rebuild leaves them alone, and no effect is late', async () => {
  const { seed, rebuild, dispatch, changes } = openWorld({ ledger });
  await seed([violation(1, 'pending'), violation(1, 'paid')]);

  expect(await rebuild()).toEqual([]);
  await dispatch();

  expect(changes()).toEqual(['none pending in time', 'pending paid in time']);
  expect(await rebuild()).toMatchObject([{ outcome: 'unchanged', events: 2 }]);
});

test('given events from before there was the machine: those are folded, and what waits is not', async () => {
  const { seed, rebuild, dispatch, changes, run, handlersFolder } = openWorld({ calm });
  await seed([violation(1, 'citation')]);
  writeFileSync(join(handlersFolder, 'ledger.mjs'), ledger);
  await seed([violation(1, 'pending'), violation(1, 'paid')]);

  expect(await rebuild()).toMatchObject([{ outcome: 'changed', events: 1 }]);
  const shown = await run('machines', 'show', 'ledger', 'traffic-violation:1');
  expect(shown.out).toContain('"status": "citation"');
  await dispatch();

  expect(changes()).toEqual(['citation pending in time', 'pending paid in time']);
});
