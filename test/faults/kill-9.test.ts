/**
 * `kill -9` under load, again and again: what was answered 202 is stored once
 * and handled at least once, in order, and machines end where they would have
 * ended without a single kill.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serve, startServe, type RunningPortaria } from '../support/running-portaria.ts';
import { workshop, type Workshop } from '../support/workshop.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { draws, seedOfRun, type Draws } from './kit/seed.ts';
import { createSenders, type Senders } from './kit/senders.ts';
import { allHandled, type Statistics } from './kit/statistics.ts';
import { charges, logins } from './kit/webhooks.ts';
import { wholeNumber } from './kit/whole-number.ts';

/** Kills under load; */
const ROUNDS = wholeNumber('FAULTS_ROUNDS', 50);
/** after so many of them comes one of a process that is still starting, and recovering from the kill before. */
const STARTING_EVERY = 6;
const CHARGES = 8;
const COMPANIES = 4;

const environment = (place: Workshop) => ({
  PORTARIA_DATABASE: place.database,
  PORTARIA_HANDLERS: place.handlers,
});

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

async function killUnderLoad(running: RunningPortaria, senders: Senders, most: number): Promise<void> {
  const sending = senders.sendTo(running.url);
  const enough = senders.acknowledged.size + most;
  await eventually('enough is acknowledged', () => senders.acknowledged.size >= enough);
  running.kill('SIGKILL');
  await Promise.all([sending, running.ended]);
}

async function killWhileStarting(place: Workshop, afterMs: number): Promise<void> {
  const starting = startServe(environment(place));
  await pause(afterMs);
  starting.kill('SIGKILL');
  await starting.ended;
}

async function killAgainAndAgain(place: Workshop, senders: Senders, { between }: Draws): Promise<void> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    await killUnderLoad(await serve(environment(place)), senders, between(1, 200));
    if (round % STARTING_EVERY === 0) await killWhileStarting(place, between(0, 800));
  }
}

/** What was acknowledged and is not stored. */
async function lostAmong({ acknowledged }: Senders, { database }: Workshop): Promise<readonly string[]> {
  const kept = new Set((await inspectStore(database, storedBodies)).map(({ body }) => body));
  return [...acknowledged.keys()].filter((body) => !kept.has(body));
}

/** Lets a process that nobody kills finish what there is, and ends it. */
async function finish(
  place: Workshop,
  meanwhile: (running: RunningPortaria) => Promise<unknown>,
): Promise<Statistics> {
  const running = await serve(environment(place));
  await meanwhile(running);
  const statistics = await allHandled(running);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
  return statistics;
}

function machineStates(place: Workshop) {
  return inspectStore(place.database, async (store) => {
    const states = await store.listMachineStates({ limit: 1_000_000 });
    return states
      .map(({ machine, subject, state, version, revision, anomalies }) => ({
        of: `${machine} ${subject.family}:${subject.id}`,
        ...{ state, version, revision, anomalies },
      }))
      .toSorted((one, other) => one.of.localeCompare(other.of));
  });
}

interface Envelope {
  readonly type: string;
  readonly data: { readonly id: number; readonly code?: string; readonly occurred_at?: string };
}

/** What the handlers of the bookkeeping record of a webhook. */
function recordsOf(body: string): readonly string[] {
  const { type, data } = JSON.parse(body) as Envelope;
  if (data.code !== undefined) return [`booked ${data.code}`, `entered ${data.code}`];
  return type.endsWith('.succeeded') ? [`in ${String(data.id)} ${data.occurred_at ?? ''}`] : [];
}

/** The stored bodies by subject, each in its order of arrival. */
function bySubject(bodies: readonly string[]): readonly (readonly string[])[] {
  const found = Map.groupBy(bodies, (body) => {
    const { type, data } = JSON.parse(body) as Envelope;
    return `${type.split('.')[0] ?? ''} ${String(data.id)}`;
  });
  return [...found.values()];
}

test('kill -9 under load loses, doubles and disorders nothing', { timeout: 480_000 }, async () => {
  const seed = seedOfRun();
  const place = workshop();
  writeBookkeeping(place);
  const senders = createSenders([...numbers(CHARGES).map(charges), ...numbers(COMPANIES).map(logins)]);

  await killAgainAndAgain(place, senders, draws(seed));
  // Before another start, which might not get to its end if anything was.
  expect(await lostAmong(senders, place)).toEqual([]);
  const statistics = await finish(place, async ({ url }) => {
    const sending = senders.sendTo(url);
    senders.stop();
    await sending;
  });

  const stored = await inspectStore(place.database, storedBodies);
  const bodies = stored.map(({ body }) => body);
  const kept = new Set(bodies);
  const recorded = place.recorded();
  const handled = new Set(recorded);
  const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
  const unhandled = bodies.flatMap(recordsOf).filter((line) => !handled.has(line));
  printFigures('kill -9', {
    seed,
    rounds: ROUNDS,
    'killed-while-starting': Math.floor(ROUNDS / STARTING_EVERY),
    acknowledged: senders.acknowledged.size,
    stored: bodies.length,
    repeats: statistics.repeats,
    handled: handled.size,
    'handled-again': recorded.length - handled.size,
    lost: lost.length + unhandled.length,
  });

  expect(lost).toEqual([]);
  expect(kept.size).toBe(bodies.length);
  expect(unhandled).toEqual([]);
  expect(statistics.deliveries).toMatchObject({ dead: 0, skipped: 0 });
  expect(integrityCheck(place.database)).toBe('ok');
  for (const id of numbers(CHARGES)) {
    const amounts = recorded
      .filter((line) => line.startsWith(`booked ${String(id)}-`))
      .map((line) => Number(line.split('-')[1]));
    expect(amounts).toEqual(amounts.toSorted((one, other) => one - other));
  }

  const undisturbed = workshop();
  writeBookkeeping(undisturbed);
  await finish(undisturbed, ({ url }) =>
    createSenders(bySubject(bodies).map((subject) => subject[Symbol.iterator]())).sendTo(url),
  );
  const states = await machineStates(place);
  expect(states).toHaveLength(CHARGES + COMPANIES);
  expect(states).toEqual(await machineStates(undisturbed));
});
