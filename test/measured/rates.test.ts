/**
 * Given three processes on PostgreSQL and a handler that may be called ten times a second: for a minute, six times as
 * many events come. It is never called more often, it is called nearly as often, and another handler keeps pace.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { printFigures } from '../faults/kit/figures.ts';
import { need } from '../faults/kit/needs.ts';
import { createDatabase, postgresOfTest } from '../faults/kit/programs/receivers.ts';
import { chargeBody } from '../faults/kit/senders/webhooks.ts';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';

const LIMIT_PER_SECOND = 10;
const BURST = 5;
const EVENTS_PER_SECOND = 60;
const SECONDS = 60;

const handlers = (record: string): string => `
import { appendFileSync } from 'node:fs';
import { defineHandler } from 'portaria';
const called = (name) => () => appendFileSync(${JSON.stringify(record)}, name + ' ' + Date.now() + '\\n');
export default [
  defineHandler({
    name: 'erp',
    on: 'charge.*',
    rate: { limit: ${LIMIT_PER_SECOND}, per: 'second', burst: ${BURST} },
    handle: called('erp'),
  }),
  defineHandler({ name: 'ledger', on: 'charge.*', handle: called('ledger') }),
];
`;

/** The most calls by which any span of time exceeds the limit and the burst; negative when none does. */
function excess(times: readonly number[]): number {
  let most = -Infinity;
  for (const [first, from] of times.entries())
    for (const [last, to] of times.entries())
      if (last >= first)
        most = Math.max(most, last - first + 1 - BURST - ((to - from) / 1_000) * LIMIT_PER_SECOND);
  return most;
}

test('a limit holds over three processes, and others keep pace', async (context) => {
  need(context, 'postgres');
  const workspace = createWorkspace();
  workspace.writeHandler('limited.ts', handlers(`${workspace.folder}/record`));
  const database = await createDatabase(await postgresOfTest());
  const settings = { ...workspace.settings, PORTARIA_DATABASE: database };
  const processes = [await serve(settings), await serve(settings), await serve(settings)];

  // What a process does for the first time takes it longer.
  for (const [at, each] of processes.entries()) {
    for (let number = 1; number <= 5; number += 1)
      await each.post(JSON.parse(chargeBody(10_000 + 10 * at + number, 1)));
  }
  await eventually('they are warm', () => workspace.recorded().length === 2 * 5 * processes.length);
  await pause(1_000);
  const before = workspace.recorded().length;

  const startedAt = performance.now();
  const sending: Promise<unknown>[] = [];
  for (let sent = 0; sent < EVENTS_PER_SECOND * SECONDS; sent += 1) {
    const url = processes[sent % processes.length]?.url ?? '';
    const headers = { 'content-type': 'application/json' };
    sending.push(fetch(url, { method: 'POST', headers, body: chargeBody(sent + 1, 1) }));
    await pause(Math.max(0, startedAt + ((sent + 1) * 1_000) / EVENTS_PER_SECOND - performance.now()));
  }
  await Promise.all(sending);
  const tookMs = performance.now() - startedAt;
  const lines = workspace
    .recorded()
    .slice(before)
    .map((line) => line.split(' '));
  const timesOf = (name: string) =>
    lines
      .filter(([handler]) => handler === name)
      .map(([, at]) => Number(at))
      .toSorted((one, other) => one - other);
  const [erp, ledger] = [timesOf('erp'), timesOf('ledger')];
  for (const each of processes) {
    each.kill('SIGTERM');
    expect(await each.ended).toMatchObject({ code: 0 });
  }

  const allowed = (tookMs / 1_000) * LIMIT_PER_SECOND;
  printFigures('rate of three processes', {
    seconds: Math.round(tookMs / 1_000),
    calls: erp.length,
    'of the limit': (erp.length / allowed).toFixed(3),
    'beyond limit and burst': excess(erp).toFixed(2),
    'others, of their rate': (ledger.length / sending.length).toFixed(3),
  });
  expect(erp.length).toBeLessThanOrEqual(allowed + BURST);
  // A call that the store grants starts some milliseconds later, and so closer to the one after it.
  expect(excess(erp)).toBeLessThan(1);
  expect(erp.length).toBeGreaterThan(0.9 * allowed);
  expect(ledger.length).toBeGreaterThanOrEqual(0.95 * sending.length);
});
