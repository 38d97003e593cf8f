/** Given a process killed while it creates the tables: the next start finds no partial schema. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Ended } from '../support/launch-program.ts';
import { portaria, serve, startServe } from '../support/running-portaria.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { draws, seedOfRun } from './kit/seed.ts';
import { statisticsOf } from './kit/statistics.ts';
import { parseTrace, strace } from './kit/disk/system-calls.ts';
import { chargeBody } from './kit/senders/webhooks.ts';

const ROUNDS = 5;

/** The tracer of writes to the store's files. It sends a signal at one of them. */
function tracing(
  workspace: Workspace,
  at?: { readonly write: number; readonly signal: 'KILL' | 'STOP' },
): readonly string[] {
  const inject = at && ['-e', `inject=pwrite64:signal=${at.signal}:when=${String(at.write)}`];
  const files = ['-P', workspace.database, '-P', `${workspace.database}-wal`];
  return strace(join(workspace.folder, 'trace'), ...files, '-e', 'trace=pwrite64', ...(inject ?? []));
}

const environment = (workspace: Workspace) => ({ PORTARIA_DATABASE: workspace.database });

function traceOf(workspace: Workspace): string {
  const file = join(workspace.folder, 'trace');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/**
 * Starts on a new database and kills the process at this write. The number of writes varies with
 * timing: a process that is ready before it is killed then.
 */
async function killedAtWrite(workspace: Workspace, write: number): Promise<Ended> {
  const started = startServe(environment(workspace), tracing(workspace, { write, signal: 'KILL' }));
  await started.ready().then(
    (running) => {
      running.kill('SIGKILL');
    },
    () => undefined,
  );
  return started.ended;
}

/** The number of writes of a start on a new database. */
async function writesOfStart(): Promise<number> {
  const workspace = createWorkspace();
  const running = await startServe(environment(workspace), tracing(workspace)).ready();
  running.kill('SIGKILL');
  await running.ended;
  return parseTrace(traceOf(workspace)).length;
}

/** The problems that the next start finds. */
async function damageTo({ database }: Workspace): Promise<readonly string[]> {
  try {
    const checks = await inspectStore(database, (store) => store.checks());
    const failing = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
    const integrity = integrityCheck(database);
    return integrity === 'ok' ? failing : [...failing, integrity];
  } catch (error) {
    return [String(error)];
  }
}

test('after a kill at any write of the first start, the next start works', async (context) => {
  need(context, 'strace');
  const seed = seedOfRun();
  const { between } = draws(seed);
  const writes = await writesOfStart();
  const share = writes / ROUNDS;

  const killedAt: number[] = [];
  const damaged: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const workspace = createWorkspace();
    const write = between(Math.floor(round * share) + 1, Math.floor((round + 1) * share));
    expect(await killedAtWrite(workspace, write)).toMatchObject({ code: null, signal: 'SIGKILL' });

    killedAt.push(write);
    damaged.push(...(await damageTo(workspace)).map((what) => `killed at write ${String(write)}: ${what}`));
  }
  expect(damaged).toEqual([]);
  const last = createWorkspace();
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

test('a start beside a hanging migration fails, and succeeds once that process is killed', async (context) => {
  need(context, 'strace', 'linux');
  const workspace = createWorkspace();
  const write = Math.ceil((await writesOfStart()) / 2);
  const hanging = startServe(environment(workspace), tracing(workspace, { write, signal: 'STOP' }));
  await eventually('the migration is stopped', () => traceOf(workspace).includes('stopped by SIGSTOP'));

  const rejected = await portaria(['serve'], environment(workspace));
  expect(rejected.code).toBe(1);
  expect(rejected.err).toMatch(/another running Portaria/);

  hanging.kill('SIGKILL');
  await hanging.ended;
  const next = await serve(environment(workspace));
  expect((await next.post(JSON.parse(chargeBody(1, 1)))).status).toBe(202);
  printFigures('start beside a migration', {
    'stopped-at-write': write,
    'rejected-with': String(rejected.code),
    'stored-after-kill': (await statisticsOf(next)).events,
  });
});
