/** A rebuild of states while events wait for their first fold. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';

/** A machine whose effect records each change, and whether it was late. */
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

const idle = "export default defineHandler({ name: 'idle', on: 'charge.*', handle() {} });";

function cliWithHandlers(handlers: Readonly<Record<string, string>>) {
  const cli = cliEnvironment(handlers);
  return {
    ...cli,
    rebuild: async () => (await cli.run('machines', 'rebuild', '--json')).rows,
    changes: () => readFileSync(join(cli.folder, 'changes.txt'), 'utf8').trimEnd().split('\n'),
  };
}

test('given events that wait for their first fold, a rebuild leaves them alone and no effect is late', async () => {
  const { seed, rebuild, dispatch, changes, run } = cliWithHandlers({ ledger });
  await seed([violation(1, 'pending'), violation(1, 'paid')]);

  expect((await run('machines', 'rebuild', '--dry-run', '--json')).rows).toEqual([]);
  expect(await rebuild()).toEqual([]);
  await dispatch();

  expect(changes()).toEqual(['none pending in time', 'pending paid in time']);
  expect(await rebuild()).toMatchObject([{ outcome: 'unchanged', events: 2 }]);
});

test('given events older than the machine, a rebuild folds them but not the pending ones', async () => {
  const { seed, rebuild, dispatch, changes, run, handlersFolder } = cliWithHandlers({ idle });
  await seed([violation(1, 'citation')]);
  writeFileSync(join(handlersFolder, 'ledger.mjs'), ledger);
  await seed([violation(1, 'pending'), violation(1, 'paid')]);

  expect((await run('machines', 'rebuild', '--dry-run', '--json')).rows).toMatchObject([
    { outcome: 'changed', events: 1 },
  ]);
  expect(await rebuild()).toMatchObject([{ outcome: 'changed', events: 1 }]);
  const shown = await run('machines', 'show', 'ledger', 'traffic-violation:1');
  expect(shown.out).toContain('"status": "citation"');
  await dispatch();

  expect(changes()).toEqual(['citation pending in time', 'pending paid in time']);
});
