/**
 * Given repeated `kill -9` of an erasure among many events: the same command finishes it, also when what led
 * from the user to the CPF was erased already; nothing of the person is left, nothing of others is lost, and the
 * receipt counts what all runs erased.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { specification } from '../../src/contract/specification.ts';
import { createIdentify } from '../../src/identify/identify.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { createParse } from '../../src/parse/parse.ts';
import type { Receipt } from '../../src/privacy/receipt.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { launchProgram } from '../support/launch-program.ts';
import { portaria, rows } from '../support/running-portaria.ts';
import { verifiedDelivery } from '../support/verified-delivery.ts';
import { createWorkspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { draws, seedOfRun } from './kit/seed.ts';
import { wholeNumber } from './kit/whole-number.ts';

const parse = createParse(specification);
const identify = createIdentify(specification, (id) => id);

const CPF = '12345678909';
const EVENTS = wholeNumber('FAULTS_EVENTS', 6_000);
/** One event in this many is about the person. */
const SHARE = 10;
const ROUNDS = wholeNumber('FAULTS_ROUNDS', 4);

function bodyOf(number: number): string {
  // The login comes first: once it is erased, nothing leads from the user to the CPF but the ledger.
  if (number === 0)
    return JSON.stringify({
      type: 'user.login.started',
      data: { id: 77, uid: CPF, connected: false, step: null, attempt: 1 },
    });
  const isHis = number % SHARE === 0;
  return JSON.stringify({
    type: 'traffic-violation.indication.created',
    data: {
      id: number,
      status: 'pending',
      tax_id: isHis ? CPF : '98765432100',
      name: isHis ? 'Ana' : 'Bruno',
    },
  });
}

async function fill(database: string): Promise<void> {
  const store = await openSqliteStore({ path: database, role: 'owner', clock: systemClock, writer: 'local' });
  try {
    for (let from = 0; from < EVENTS; from += 1_000) {
      const numbers = Array.from({ length: Math.min(1_000, EVENTS - from) }, (_, at) => from + at);
      await Promise.all(
        numbers.map((number) => {
          const parsed = parse(verifiedDelivery(bodyOf(number)));
          if (parsed.stage === 'rejected') throw new Error(parsed.message);
          return store.accept(identify(parsed), []);
        }),
      );
    }
  } finally {
    await store.close();
  }
}

test('an erasure that is killed again and again is finished by the same command', async () => {
  const { database } = createWorkspace();
  const env = { PORTARIA_DATABASE: database, PORTARIA_LOG_FORMAT: 'json' };
  await fill(database);
  const seed = seedOfRun();
  const { between } = draws(seed);
  const command = ['privacy', 'erase', 'user:77', '--yes', '--reason', 'request 17', '--json'];
  let killed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { child, ended } = launchProgram(command, env);
    await pause(between(300, 900));
    if (child.exitCode === null) killed += 1;
    child.kill('SIGKILL');
    await ended;
  }
  const begun = performance.now();
  const { code, out, err } = await portaria(command, env);
  expect([code, err]).toEqual([0, expect.stringContaining('Recorded in the audit as u')]);
  const receipt = JSON.parse(out) as Pick<Receipt, 'erased_rows' | 'runs'>;
  expect(receipt).toMatchObject({ erasure: 'x1', hits: 0, rows_left: 0 });

  expect(readFileSync(database, 'latin1')).not.toContain(CPF);
  const erased = await rows(['events', 'list', '--flag', 'erased', '--limit', 'all'], env);
  expect(erased).toHaveLength(Math.ceil(EVENTS / SHARE));
  expect(receipt.erased_rows.event, 'of all runs').toBe(erased.length);
  const others = readFileSync(database, 'latin1').split('98765432100').length - 1;
  expect(others).toBe(EVENTS - erased.length);
  const unfinished = (await rows(['privacy', 'receipts'], env)).filter(({ finished_at: at }) => at === null);
  expect(unfinished).toEqual([]);
  const runs = receipt.runs.length;
  printFigures('erasures killed', { seed, killed, runs, lastRunMs: Math.round(performance.now() - begun) });
});
