/** A process killed while it makes or changes the tables: the next start finds nothing by halves. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Ended } from '../support/launch-program.ts';
import { portaria, serve, startServe } from '../support/running-portaria.ts';
import { workshop, type Workshop } from '../support/workshop.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { draws, seedOfRun } from './kit/seed.ts';
import { statisticsOf } from './kit/statistics.ts';
import { parseTrace, strace } from './kit/system-calls.ts';
import { chargeBody } from './kit/webhooks.ts';

const ROUNDS = 10;

/** Traces writes to the store's files, and sends a signal at one of them. */
function tracing(
  place: Workshop,
  at?: { readonly write: number; readonly signal: 'KILL' | 'STOP' },
): readonly string[] {
  const inject = at && ['-e', `inject=pwrite64:signal=${at.signal}:when=${String(at.write)}`];
  const files = ['-P', place.database, '-P', `${place.database}-wal`];
  return strace(join(place.folder, 'trace'), ...files, '-e', 'trace=pwrite64', ...(inject ?? []));
}

const environment = (place: Workshop) => ({ PORTARIA_DATABASE: place.database });

function traceOf(place: Workshop): string {
  const file = join(place.folder, 'trace');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Starts on a new file, to be ended at this write. */
async function killedAtWrite(place: Workshop, write: number): Promise<Ended> {
  return startServe(environment(place), tracing(place, { write, signal: 'KILL' })).ended;
}

/** How often a start on a new file writes until it is ready. */
async function writesOfAStart(): Promise<number> {
  const place = workshop();
  const running = await startServe(environment(place), tracing(place)).ready();
  running.kill('SIGKILL');
  await running.ended;
  return parseTrace(traceOf(place)).length;
}

/** What the next start finds wrong, or is refused for. */
async function damageTo({ database }: Workshop): Promise<readonly string[]> {
  try {
    const checks = await inspectStore(database, (store) => store.checks());
    const failing = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
    const integrity = integrityCheck(database);
    return integrity === 'ok' ? failing : [...failing, integrity];
  } catch (error) {
    return [String(error)];
  }
}

test('killed at any write of its first start, the next start is whole', async (context) => {
  need(context, 'strace');
  const seed = seedOfRun();
  const { between } = draws(seed);
  const writes = await writesOfAStart();
  const share = writes / ROUNDS;

  const killedAt: number[] = [];
  const damaged: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = workshop();
    const write = between(Math.floor(round * share) + 1, Math.floor((round + 1) * share));
    expect(await killedAtWrite(place, write)).toMatchObject({ code: null, signal: 'SIGKILL', out: '' });

    killedAt.push(write);
    damaged.push(...(await damageTo(place)).map((what) => `killed at write ${String(write)}: ${what}`));
  }
  expect(damaged).toEqual([]);
  const last = workshop();
  await killedAtWrite(last, between(1, writes));
  const running = await serve(environment(last));
  expect((await running.post(JSON.parse(chargeBody(1, 1)))).status).toBe(202);

  printFigures('killed migration', {
    seed,
    writes,
    'killed-at': killedAt.join(','),
    rounds: ROUNDS + 1,
    damaged: damaged.length,
  });
});

test('a start beside a migration that hangs is refused, and succeeds once that one is killed', async (context) => {
  need(context, 'strace', 'linux');
  const place = workshop();
  const write = Math.ceil((await writesOfAStart()) / 2);
  const hanging = startServe(environment(place), tracing(place, { write, signal: 'STOP' }));
  await eventually('it stands still in the middle', () => traceOf(place).includes('stopped by SIGSTOP'));

  const refused = await portaria(['serve'], environment(place));
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/another running Portaria/);

  hanging.kill('SIGKILL');
  await hanging.ended;
  const next = await serve(environment(place));
  expect((await next.post(JSON.parse(chargeBody(1, 1)))).status).toBe(202);
  printFigures('start beside a migration', {
    'stopped-at-write': write,
    'refused-with': String(refused.code),
    'stored-after-kill': (await statisticsOf(next)).events,
  });
});
