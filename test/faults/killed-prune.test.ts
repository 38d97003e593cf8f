/** Given a process killed while it prunes: no event is pruned in part, and the next run does the rest. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { launchProgram, type Ended } from '../support/launch-program.ts';
import { serve } from '../support/running-portaria.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';
import { acceptBody } from './kit/filled-store.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { draws, seedOfRun } from './kit/seed.ts';
import { parseTrace, strace } from './kit/disk/system-calls.ts';
import { chargeBody } from './kit/senders/webhooks.ts';

const ROUNDS = 3;
const EVENTS = 600;
const LONG_AGO = Date.UTC(2020, 0, 1);

const environment = ({ database }: Workspace) => ({ PORTARIA_DATABASE: database });

/** A database with old events, whose bodies are longer than a page. */
async function oldEvents(): Promise<Workspace> {
  const workspace = createWorkspace();
  const store = await openSqliteStore({ path: workspace.database, role: 'owner', clock: systemClock });
  onTestFinished(() => store.close());
  const padding = ' '.repeat(5_000);
  const bodies = Array.from({ length: EVENTS }, (_, number) => chargeBody(number % 50, number) + padding);
  await Promise.all(bodies.map((body) => acceptBody(store, body, { receivedAt: LONG_AGO })));
  await store.close();
  return workspace;
}

/** Prunes everything old, under a tracer that may kill it at a write. */
function prune(workspace: Workspace, killAtWrite?: number): Promise<Ended> {
  const inject =
    killAtWrite === undefined ? [] : ['-e', `inject=pwrite64:signal=KILL:when=${String(killAtWrite)}`];
  const files = ['-P', workspace.database, '-P', `${workspace.database}-wal`];
  const tracer = strace(join(workspace.folder, 'trace'), ...files, '-e', 'trace=pwrite64', ...inject);
  const args = ['events', 'prune', '--older', '1d', '--yes', '--json'];
  return launchProgram(args, environment(workspace), tracer).ended;
}

function writesIn(workspace: Workspace): number {
  const file = join(workspace.folder, 'trace');
  return existsSync(file) ? parseTrace(readFileSync(file, 'utf8')).length : 0;
}

/** Counts pruned and whole events, and fails for one that is neither. */
function countsOf({ database }: Workspace) {
  return inspectStore(database, async (store) => {
    const events = await store.events({}, { order: 'oldest', limit: EVENTS + 1 });
    let pruned = 0;
    for (const { id } of events) {
      const event = await store.event(id);
      expect(event?.body === null).toBe(event?.prunedAt !== null);
      pruned += Number(event?.body === null);
    }
    const { retention } = await store.statistics();
    return { events: events.length, pruned, counted: retention.events };
  });
}

test('a kill at any write of a prune leaves whole events, and the next run prunes the rest', async (context) => {
  need(context, 'strace');
  const seed = seedOfRun();
  const { between } = draws(seed);
  const whole = await oldEvents();
  expect(await prune(whole)).toMatchObject({ code: 0 });
  const writes = writesIn(whole);
  expect(await countsOf(whole)).toEqual({ events: EVENTS, pruned: EVENTS, counted: EVENTS });

  const prunedAtKill: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const workspace = await oldEvents();
    const share = writes / ROUNDS;
    const write = between(Math.floor(round * share) + 1, Math.floor((round + 1) * share));
    expect(await prune(workspace, write)).toMatchObject({ signal: 'SIGKILL' });

    const after = await countsOf(workspace);
    expect(after).toMatchObject({ events: EVENTS, counted: after.pruned });
    expect(integrityCheck(workspace.database)).toBe('ok');
    prunedAtKill.push(after.pruned);
    expect((await prune(workspace)).code).toBe(0);
    expect(await countsOf(workspace)).toEqual({ events: EVENTS, pruned: EVENTS, counted: EVENTS });
  }
  const last = await oldEvents();
  await prune(last, between(1, writes));
  const running = await serve(environment(last));
  // The latest content of its subject.
  expect((await running.post(JSON.parse(chargeBody(1, EVENTS - 49)))).body).toMatchObject({
    status: 'duplicate',
  });

  printFigures('killed prune', { seed, writes, rounds: ROUNDS, pruned: prunedAtKill.join(',') });
});
