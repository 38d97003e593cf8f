/** States of machines that two processes change at once. */
import { describe, expect, test } from 'vitest';
import { PortariaError } from '../../../src/kernel/errors.ts';
import type { MachineCommit } from '../../../src/store/lane-queue.ts';
import type { Store } from '../../../src/store/store.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { openFixture, type StoreFixture } from '../../conformance/store-fixture.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient, untilWaiting } from '../kit/raw-client.ts';

const company = { family: 'company', id: '1' };

/** Two processes on one database, and an event that both fold. */
async function twoProcesses() {
  const fixture = await openFixture(postgres);
  const other = await fixture.openAgain('owner');
  const id = await fixture.stored({ content: 'A', version: '1' }, []);
  const client = await rawClient(fixture.store);
  return { ...fixture, other, id, client, effects: () => effectsOf(client) };
}

async function effectsOf(client: Awaited<ReturnType<typeof rawClient>>) {
  const { rows } = await client.query<{ effect: string; head: number }>(
    `select effect, head from deliveries where handler = 'login/effects' order by id`,
  );
  return rows;
}

function folded(id: string, by: string, more: Partial<MachineCommit> = {}): MachineCommit {
  return {
    ...{ machine: 'login', state: { phase: by }, version: '1', lastEventId: id, revision: 0 },
    anomalies: [{ eventId: id, message: by }],
    refolded: false,
    effects: [{ eventId: id, name: 'onStarted', change: { before: null, after: by }, late: false }],
    ...more,
  };
}

function outcomes(settled: readonly PromiseSettledResult<void>[]): readonly string[] {
  return settled.map((each) =>
    each.status === 'fulfilled'
      ? 'stored'
      : PortariaError.is(each.reason)
        ? each.reason.code
        : String(each.reason),
  );
}

describe('machines of two processes', () => {
  test.each([
    ['the first state', 0],
    ['a later state', 1],
  ])('of two folds to %s of a subject, one is stored whole and the other conflicts', async (_, revision) => {
    const { store, other, clock, id, client, effects } = await twoProcesses();
    const before = folded(id, 'before', { anomalies: [], effects: [] });
    if (revision === 1) await store.commitMachine('default', company, before, clock.now());
    // Both have read the subject before either can lock it.
    await client.query('begin');
    await client.query('select from subjects for update');
    const commits = [store, other].map((each, at) =>
      each.commitMachine('default', company, folded(id, `fold ${String(at)}`, { revision }), clock.now()),
    );
    const both = Promise.allSettled(commits);
    const watcher = await rawClient(store);
    await untilWaiting(watcher, 2);
    await client.query('commit');

    const settled = outcomes(await both);
    expect(settled.toSorted()).toEqual(['machine-conflict', 'stored']);
    const winner = `fold ${String(settled.indexOf('stored'))}`;
    const state = { state: { phase: winner }, revision: revision + 1, anomalies: 1 };
    for (const each of [store, other]) {
      expect(await each.machineState('login', 'default', company)).toMatchObject(state);
      expect(await each.anomalies('login', 'default', company, 9)).toMatchObject([{ message: winner }]);
      expect(await each.phaseCounts('login')).toEqual([{ phases: [winner], subjects: 1, more: false }]);
    }
    expect(await effects()).toEqual([{ effect: 'onStarted', head: 1 }]);
  });

  test('of a delivery and a rebuild in another process, one is stored, and the delivery folds again', async () => {
    const { store, other, clock, claimOne, effects } = await twoProcesses();
    const id = await store
      .accept(sampleEvent({ content: 'B', version: '2' }), [route('login')])
      .then((accepted) => accepted.id);
    const delivery = await claimOne({ handlers: ['login'] });
    const end = (machine: MachineCommit) =>
      store.complete(delivery, { status: 'succeeded', machine }, { now: clock.now(), next: false });
    // The rebuild is stored between the fold of the delivery and its end.
    await other.commitMachine('default', company, folded(id, 'rebuild'), clock.now());
    const first = Promise.allSettled([end(folded(id, 'delivery')).then(() => undefined)]);

    expect(outcomes(await first)).toEqual(['machine-conflict']);
    const open = { order: 'oldest', limit: 9 } as const;
    expect(await other.deliveries({ handler: 'login' }, open)).toMatchObject([{ status: 'running' }]);
    await end(folded(id, 'delivery', { revision: 1, refolded: true }));
    expect(await other.deliveries({ handler: 'login' }, open)).toMatchObject([{ status: 'succeeded' }]);
    expect(await other.machineState('login', 'default', company)).toMatchObject({
      state: { phase: 'delivery' },
      ...{ revision: 2, anomalies: 1 },
    });
    expect(await effects()).toEqual([{ effect: 'onStarted', head: 1 }]);
  });

  test('processes that fold again after each conflict lose no fold, and run each effect once', async () => {
    const { store, other, clock, id, effects } = await twoProcesses();
    const folds = 15;
    await Promise.all([addFolds(store, 'one'), addFolds(other, 'two')]);

    async function addFolds(each: Store, by: string): Promise<void> {
      for (let done = 0; done < folds;) {
        const known = await each.machineState('login', 'default', company);
        const count = (known?.state as { count: number } | undefined)?.count ?? 0;
        const name = `${by} ${String(done)}`;
        const commit = folded(id, name, {
          ...{ state: { count: count + 1 }, revision: known?.revision ?? 0 },
          // An effect of the other process's fold is not stored again.
          effects: [name, 'onStarted'].map((effect) => ({
            ...{ eventId: id, name: effect, change: null, late: false },
          })),
        });
        try {
          await each.commitMachine('default', company, commit, clock.now());
          done += 1;
        } catch (error) {
          if (!PortariaError.is(error, 'machine-conflict')) throw error;
        }
      }
    }

    expect(await store.machineState('login', 'default', company)).toMatchObject({
      state: { count: 2 * folds },
      revision: 2 * folds,
      anomalies: 2 * folds,
    });
    expect(await other.anomalies('login', 'default', company, 100)).toHaveLength(2 * folds);
    const stored = await effects();
    expect(new Set(stored.map(({ effect }) => effect)).size).toBe(2 * folds + 1);
    expect(stored).toHaveLength(2 * folds + 1);
    // One lane for the machine's effects of a subject, whichever process stored them.
    expect(stored.filter(({ head }) => head === 1)).toHaveLength(1);
  });

  test('a process that freezes while it commits a state delays the other, and stores nothing', async () => {
    const { store, other, clock, id, client } = await twoProcesses();
    await client.query("begin; set local idle_in_transaction_session_timeout = '200ms'");
    await client.query('select from subjects for update');
    await client.query(`insert into machine_states
        (machine, subject_id, state, version, last_event, revision, updated_at, anomalies, phases)
      values ('login', 1, '"frozen"', null, 1, 1, 0, 0, '["frozen",null,null,null]')`);
    client.on('error', () => undefined);

    await other.commitMachine('default', company, folded(id, 'thawed'), clock.now());

    expect(await store.machineState('login', 'default', company)).toMatchObject({
      state: { phase: 'thawed' },
      revision: 1,
    });
  });

  test('the number of stored anomalies is the sum of its changes', async () => {
    const { store, other, clock, id, client } = await twoProcesses();
    const odd = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ eventId: id, message: String(at) }));
    const commits = [
      { anomalies: odd(700) },
      { anomalies: odd(700), revision: 1 },
      { anomalies: odd(2), revision: 2, refolded: true },
    ];
    const sums: number[] = [];
    for (const [at, more] of commits.entries()) {
      const each: StoreFixture['store'] = at === 1 ? other : store;
      await each.commitMachine('default', company, folded(id, 'x', more), clock.now());
      const { rows } = await client.query<{ sum: number; stored: number }>(
        `select (select sum(rows) from row_counts where name = 'anomalies')::integer as sum,
          (select count(*) from anomalies)::integer as stored`,
      );
      expect(rows[0]?.sum).toBe(rows[0]?.stored);
      sums.push(rows[0]?.sum ?? 0);
    }
    expect(sums).toEqual([700, 1_000, 2]);
  });
});
