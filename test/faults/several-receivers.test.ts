/**
 * Given three receivers on one PostgreSQL, under load with failing handlers: each is killed in turn, one is
 * stopped for longer than its lease, PostgreSQL crashes. Every acknowledged event is stored once and handled at
 * least once, no lane runs twice at once or out of order, and every machine ends in the same state as without faults.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgresServer } from '../../scripts/postgres/server.mjs';
import { eventually } from '../support/eventually.ts';
import { serve, type RunningPortaria } from '../support/running-portaria.ts';
import { createWorkspace, recording, type Workspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, storedBodies } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { createSenders, type Senders } from './kit/senders.ts';
import { allHandled } from './kit/statistics.ts';
import { charges } from './kit/webhooks.ts';
import { lanesOf } from './kit/lane-runs.ts';

const CHARGES = 24;
/** Longer than a lease: see lease.ts of the store. */
const FREEZE_MS = 12_000;
/** Milliseconds until another process has taken over what a killed one had in flight. */
const MAX_TAKE_OVER_MS = 10_000;

/** Records when each attempt begins and ends. Every seventh amount fails at first. */
function writeBooking(workspace: Workspace): void {
  workspace.writeHandler(
    'booking.ts',
    `${recording(workspace)}
import { defineMachine } from 'portaria';

const failed = new Set<string>();
export default defineHandler({
  name: 'booked',
  on: 'charge.*',
  retry: { attempts: 50, baseMs: 20, maxMs: 200 },
  async handle({ data }, { signal }) {
    record('begin ' + process.pid + ' ' + data.code);
    await pause(2, undefined, { signal });
    const fails = Number(data.amount) % 7 === 0 && !failed.has(String(data.code));
    failed.add(String(data.code));
    record('end ' + process.pid + ' ' + data.code + (fails ? ' failed' : ' done'));
    if (fails) throw new Error('the first attempt fails');
  },
});

export const ledger = defineMachine({
  name: 'ledger',
  on: 'charge.*',
  initial: { entries: 0, chain: 0 },
  evolve: ({ entries, chain }, { data }) => ({
    entries: entries + 1,
    chain: (chain * 31 + Number(data.amount)) % 1_000_000_007,
  }),
});
`,
  );
}

/** Writes what the test does to a process into the record of the handlers, in order with it. */
function note(workspace: Workspace, line: string): void {
  appendFileSync(join(workspace.folder, 'record'), `${line}\n`);
}

async function acknowledgedMore(senders: Senders, webhooks: number): Promise<void> {
  const enough = senders.acknowledged.size + webhooks;
  await eventually('enough is acknowledged', () => senders.acknowledged.size >= enough, 60_000);
}

/** The state that the ledger has after these amounts in order. */
function ledgerOf(amounts: readonly number[]) {
  return {
    entries: amounts.length,
    chain: amounts.reduce((chain, amount) => (chain * 31 + amount) % 1_000_000_007, 0),
  };
}

test(
  'faults of three receivers and of PostgreSQL lose, double and reorder nothing',
  { timeout: 480_000 },
  async (context) => {
    need(context, 'postgres');
    const server = await startPostgresServer({ settings: ['max_connections=200'] });
    onTestFinished(() => server.stop());
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    await admin.query('create database portaria');
    await admin.end();
    const database = server.url.replace(/postgres$/u, 'portaria');
    const workspace = createWorkspace();
    writeBooking(workspace);
    const environment = { PORTARIA_DATABASE: database, PORTARIA_HANDLERS: workspace.handlers };
    const receivers: RunningPortaria[] = [];
    for (let each = 0; each < 3; each += 1) receivers.push(await serve(environment));
    const senders = createSenders(Array.from({ length: CHARGES }, (_, index) => charges(index + 1)));
    let turn = 0;
    const sending = senders.sendThrough(() => {
      turn += 1;
      return receivers[turn % receivers.length]?.url ?? '';
    });

    await acknowledgedMore(senders, 200);
    for (const place of receivers.keys()) {
      const killed = receivers[place];
      if (killed === undefined) continue;
      killed.kill('SIGKILL');
      await killed.ended;
      note(workspace, `killed ${String(killed.pid)}`);
      await acknowledgedMore(senders, 100);
      receivers[place] = await serve(environment);
    }
    const [frozen] = receivers;
    if (frozen === undefined) throw new Error('no receiver');
    frozen.kill('SIGSTOP');
    note(workspace, `stopped ${String(frozen.pid)}`);
    await pause(FREEZE_MS);
    frozen.kill('SIGCONT');
    await acknowledgedMore(senders, 200);
    await server.crash();
    await server.restart();
    await acknowledgedMore(senders, 200);
    const killedAt = Date.now();
    const last = receivers[2];
    last?.kill('SIGKILL');
    await last?.ended;
    note(workspace, `killed ${String(last?.pid)}`);
    receivers.pop();
    senders.stop();
    await sending;
    const [running] = receivers;
    if (running === undefined) throw new Error('no receiver');
    await allHandled(running, 90_000);
    const finishedMs = Date.now() - killedAt;

    const stored = (await inspectStore(database, storedBodies)).map(({ body }) => body);
    const kept = new Set(stored);
    const recorded = workspace.recorded();
    const runs = lanesOf(recorded);
    const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
    const done = new Set(recorded.filter((line) => line.endsWith(' done')).map((line) => line.split(' ')[2]));
    const codes = stored.map((body) => (JSON.parse(body) as { data: { code: string } }).data.code);
    const unhandled = codes.filter((code) => !done.has(code));
    const states = await inspectStore(database, (store) =>
      store.listMachineStates({ machine: 'ledger', limit: 1_000 }),
    );
    printFigures('three receivers', {
      acknowledged: senders.acknowledged.size,
      stored: stored.length,
      'other responses': [...senders.rejections.values()].reduce((sum, count) => sum + count, 0),
      'handled twice': recorded.filter((line) => line.endsWith(' done')).length - done.size,
      lost: lost.length + unhandled.length,
      overlaps: runs.overlaps.length,
      inversions: runs.inversions.length,
      'finished after the last kill, ms': finishedMs,
    });
    for (const receiver of receivers) {
      receiver.kill('SIGTERM');
      expect(await receiver.ended).toMatchObject({ code: 0 });
    }

    expect(lost).toEqual([]);
    expect(stored).toHaveLength(kept.size);
    expect(unhandled).toEqual([]);
    expect(runs.overlaps).toEqual([]);
    expect(runs.inversions).toEqual([]);
    expect(finishedMs).toBeLessThan(MAX_TAKE_OVER_MS + 60_000);
    for (let id = 1; id <= CHARGES; id += 1) {
      const amounts = codes
        .filter((code) => code.startsWith(`${String(id)}-`))
        .map((code) => Number(code.split('-')[1]));
      expect(states.find(({ subject }) => subject.id === String(id))?.state).toEqual(
        ledgerOf(amounts.toSorted((one, other) => one - other)),
      );
    }
  },
);
