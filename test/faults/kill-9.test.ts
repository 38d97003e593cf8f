/**
 * Given repeated `kill -9` under load: every acknowledged event is stored once and handled at least once,
 * in order, and every machine ends in the same state as without a kill.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serve, startServe, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { draws, seedOfRun, type Draws } from './kit/seed.ts';
import { createSenders, type Senders } from './kit/senders/senders.ts';
import { allHandled, type Statistics } from './kit/statistics.ts';
import { charges, logins } from './kit/senders/webhooks.ts';
import { wholeNumber } from './kit/whole-number.ts';

/** The number of kills under load. */
const ROUNDS = wholeNumber('FAULTS_ROUNDS', 6);
/** After this many kills, another one hits a process that is still starting and recovering. */
const STARTING_EVERY = 3;
const CHARGES = 8;
const COMPANIES = 4;

const environment = (workspace: Workspace) => ({
  ...workspace.settings,
});

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

async function killUnderLoad(running: RunningPortaria, senders: Senders, webhooks: number): Promise<void> {
  const sending = senders.sendTo(running.url);
  const enough = senders.acknowledged.size + webhooks;
  await eventually('enough is acknowledged', () => senders.acknowledged.size >= enough);
  running.kill('SIGKILL');
  await Promise.all([sending, running.ended]);
}

async function killWhileStarting(workspace: Workspace, afterMs: number): Promise<void> {
  const starting = startServe(environment(workspace));
  await pause(afterMs);
  starting.kill('SIGKILL');
  await starting.ended;
}

async function killRepeatedly(workspace: Workspace, senders: Senders, { between }: Draws): Promise<void> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    await killUnderLoad(await serve(environment(workspace)), senders, between(1, 200));
    if (round % STARTING_EVERY === 0) await killWhileStarting(workspace, between(0, 800));
  }
}

/** The acknowledged bodies that are not stored. */
async function lostAmong({ acknowledged }: Senders, { database }: Workspace): Promise<readonly string[]> {
  const kept = new Set((await inspectStore(database, storedBodies)).map(({ body }) => body));
  return [...acknowledged.keys()].filter((body) => !kept.has(body));
}

/** Starts a process, lets it finish every delivery, and ends it. */
async function finish(
  workspace: Workspace,
  meanwhile: (running: RunningPortaria) => Promise<unknown>,
): Promise<Statistics> {
  const running = await serve(environment(workspace));
  await meanwhile(running);
  const statistics = await allHandled(running);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
  return statistics;
}

function deadDeliveries({ database }: Workspace) {
  return inspectStore(database, async (store) => {
    const dead = await store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 10 });
    const attempts = await store.attempts(dead.map(({ id }) => id));
    return dead.map((delivery) => ({
      ...delivery,
      attempts: attempts.filter((attempt) => attempt.deliveryId === delivery.id),
    }));
  });
}

function machineStates(workspace: Workspace) {
  return inspectStore(workspace.database, async (store) => {
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

/** The lines that the bookkeeping handlers record for a webhook. */
function recordsOf(body: string): readonly string[] {
  const { type, data } = JSON.parse(body) as Envelope;
  if (data.code !== undefined) return [`booked ${data.code}`, `entered ${data.code}`];
  return type.endsWith('.succeeded') ? [`in ${String(data.id)} ${data.occurred_at ?? ''}`] : [];
}

/** The stored bodies by subject, in order of arrival. */
function bySubject(bodies: readonly string[]): readonly (readonly string[])[] {
  const found = Map.groupBy(bodies, (body) => {
    const { type, data } = JSON.parse(body) as Envelope;
    return `${type.split('.')[0] ?? ''} ${String(data.id)}`;
  });
  return [...found.values()];
}

test('kill -9 under load loses, duplicates and reorders nothing', async () => {
  const seed = seedOfRun();
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  const senders = createSenders([...numbers(CHARGES).map(charges), ...numbers(COMPANIES).map(logins)]);

  await killRepeatedly(workspace, senders, draws(seed));
  // Checked before another start, which might fail after a loss.
  expect(await lostAmong(senders, workspace)).toEqual([]);
  const statistics = await finish(workspace, async ({ url }) => {
    const sending = senders.sendTo(url);
    senders.stop();
    await sending;
  });

  const stored = await inspectStore(workspace.database, storedBodies);
  const bodies = stored.map(({ body }) => body);
  const kept = new Set(bodies);
  const recorded = workspace.recorded();
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
    'handled-twice': recorded.length - handled.size,
    lost: lost.length + unhandled.length,
    dead: statistics.deliveries.dead,
    skipped: statistics.deliveries.skipped,
  });

  expect(lost).toEqual([]);
  expect(kept.size).toBe(bodies.length);
  // With their attempts, which say why.
  expect(await deadDeliveries(workspace)).toEqual([]);
  expect(statistics.deliveries).toMatchObject({ dead: 0, skipped: 0 });
  expect(unhandled).toEqual([]);
  expect(integrityCheck(workspace.database)).toBe('ok');
  for (const id of numbers(CHARGES)) {
    const amounts = recorded
      .filter((line) => line.startsWith(`booked ${String(id)}-`))
      .map((line) => Number(line.split('-')[1]));
    expect(amounts).toEqual(amounts.toSorted((one, other) => one - other));
  }

  const unkilled = createWorkspace();
  writeBookkeeping(unkilled);
  await finish(unkilled, ({ url }) =>
    createSenders(bySubject(bodies).map((subject) => subject[Symbol.iterator]())).sendTo(url),
  );
  const states = await machineStates(workspace);
  expect(states).toHaveLength(CHARGES + COMPANIES);
  expect(states).toEqual(await machineStates(unkilled));
});
