/** Outcomes that the store does not take, although it can be written again later. */
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Discard } from '../../src/handle/define/outcome.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { openFixture } from '../conformance/store-fixture.ts';
import { sqliteFile } from '../conformance/sqlite-places.ts';
import { setUpOnSqlite } from './kit/sqlite-setup.ts';
import { testContext } from '../../src/testing/test-context.ts';

const outcomes = [
  { ends: 'successes', operation: 'succeed', returned: undefined },
  { ends: 'other outcomes', operation: 'complete', returned: Discard('not for us') },
] as const;

/** A store with a handler that tells what it begins. */
async function setUp(returned: unknown, attempts: number) {
  const begun: string[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const handler = defineHandler({
    name: 'once',
    on: '*',
    retry: { attempts },
    async handle(event, { attempt }) {
      begun.push(`${event.id} attempt ${String(attempt)}`);
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      await Promise.resolve();
      running -= 1;
      return returned;
    },
  });
  const { log, logged } = testContext();
  const setup = await setUpOnSqlite([handler], { log });
  onTestFinished(() => setup.store.close());
  return { ...setup, begun, logged, mostAtOnce: () => mostAtOnce };
}

test.each(outcomes)(
  'after six failures to record $ends, the delivery runs again, alone and before the next of its lane',
  async ({ operation, returned }) => {
    const setup = await setUp(returned, 8);
    const [first, second] = [await setup.receive(1), await setup.receive(1)];
    failTimes(setup.store, operation, 6);

    await setup.dispatcher.start();
    await setup.finish();
    await setup.dispatcher.stop(0);

    expect(setup.begun).toEqual([`${first} attempt 1`, `${first} attempt 1`, `${second} attempt 1`]);
    expect(setup.mostAtOnce()).toBe(1);
  },
);

test.each(outcomes)(
  'a store that never takes $ends gets as many runs as the handler has attempts, and the lane then waits for the next start',
  async ({ operation, returned }) => {
    const setup = await setUp(returned, 3);
    const [first, second] = [await setup.receive(1), await setup.receive(1)];
    const works = setup.store[operation];
    failTimes(setup.store, operation, Infinity);

    await setup.dispatcher.start();
    for (let minutes = 0; minutes < 10; minutes += 1) await setup.pass(60_000);
    expect(setup.begun).toEqual(Array.from({ length: 3 }, () => `${first} attempt 1`));
    expect(setup.logged.map(({ message }) => message)).toEqual([
      'the outcome was not recorded: the delivery will run again after the wait',
      'the outcome was not recorded: the delivery will run again after the wait',
      'the outcome was not recorded: the delivery will run again after the next start, and its lane waits for it',
    ]);

    await setup.dispatcher.stop(0);
    setup.store[operation] = works as never;
    await setup.restart().start();
    await setup.finish();
    expect(setup.begun.slice(3)).toEqual([`${first} attempt 2`, `${second} attempt 1`]);
  },
);

test('a delivery that is not in flight any more is left alone: it may run elsewhere, or again here', async () => {
  const setup = await setUp(undefined, 8);
  await setup.receive(1);
  const abandon = vi.spyOn(setup.store, 'abandon');
  failTimes(setup.store, 'succeed', Infinity, 'invalid-argument');
  failTimes(setup.store, 'complete', Infinity, 'invalid-argument');

  await setup.dispatcher.start();
  for (let minutes = 0; minutes < 10; minutes += 1) await setup.pass(60_000);

  expect(setup.begun).toHaveLength(1);
  expect(abandon).not.toHaveBeenCalled();
  expect(setup.logged.map(({ message }) => message)).toEqual([
    'the outcome was recorded before, or another process has the delivery',
  ]);
  await setup.dispatcher.stop(0);
});

test('a stop ends the wait for the next run', async () => {
  const setup = await setUp(undefined, 8);
  await setup.receive(1);
  failTimes(setup.store, 'succeed', Infinity);
  await setup.dispatcher.start();
  while (setup.logged.length === 0) await setup.pass(100);

  await setup.dispatcher.stop(0);

  expect(setup.clock.untilNext).toBeNull();
  expect(setup.begun).toHaveLength(1);
});

test('what is not released at first keeps nothing else from being claimed, and is released later', async () => {
  const { store, stored, claimOne } = await openFixture(sqliteFile);
  await stored({ content: 'A' });
  const lost = await claimOne();
  store.abandon([lost]);
  await stored({ subject: 'company:2' });
  const database = new BetterSqlite3(store.location);
  onTestFinished(() => {
    database.close();
  });
  database.exec(`create trigger damaged before update of status on deliveries
    when new.status = 'pending' begin select raise(abort, 'a damaged page'); end`);

  expect((await claimOne()).id).not.toBe(lost.id);

  database.exec('drop trigger damaged');
  expect(await claimOne()).toMatchObject({ id: lost.id, attempt: 1 });
});

/** The next calls of an operation reject with an error that waiting may not resolve. */
function failTimes<Name extends string>(
  store: Record<Name, (...parameters: never[]) => Promise<unknown>>,
  operation: Name,
  times: number,
  code: 'store-failed' | 'invalid-argument' = 'store-failed',
): void {
  const works = store[operation];
  let left = times;
  store[operation] = (...parameters) => {
    left -= 1;
    return left >= 0 ? Promise.reject(new PortariaError(code, 'a damaged page')) : works(...parameters);
  };
}
