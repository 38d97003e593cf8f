/** Outcomes that the store does not take, although it can be written again later. */
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { Discard } from '../../src/handle/define/outcome.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { openFixture } from '../conformance/store-fixture.ts';
import { sqliteFile } from '../conformance/sqlite-places.ts';
import { setUpOnSqlite } from './kit/sqlite-setup.ts';

const outcomes = [
  { ends: 'successes', operation: 'succeed', returned: undefined },
  { ends: 'other outcomes', operation: 'complete', returned: Discard('not for us') },
] as const;

test.each([
  ...outcomes.map((outcome) => ({ ...outcome, takes: 'a new time', nextAttempt: 2, reschedules: true })),
  ...outcomes.map((outcome) => ({ ...outcome, takes: 'nothing of it', nextAttempt: 1, reschedules: false })),
])(
  'after six failures to record $ends, when the store takes $takes, the delivery runs again, alone and before the next of its lane',
  async ({ operation, returned, nextAttempt, reschedules }) => {
    const begun: string[] = [];
    let running = 0;
    let mostAtOnce = 0;
    const handler = defineHandler({
      name: 'once',
      on: '*',
      async handle(event, { attempt }) {
        begun.push(`${event.id} attempt ${String(attempt)}`);
        running += 1;
        mostAtOnce = Math.max(mostAtOnce, running);
        await Promise.resolve();
        running -= 1;
        return returned;
      },
    });
    const setup = await setUpOnSqlite([handler]);
    onTestFinished(() => setup.store.close());
    const [first, second] = [await setup.receive(1), await setup.receive(1)];
    failTimes(setup.store, operation, 6);
    if (!reschedules) failTimes(setup.store, 'reschedule', 5);

    await setup.dispatcher.start();
    await setup.finish();
    await setup.dispatcher.stop(0);

    expect(begun).toEqual([
      `${first} attempt 1`,
      `${first} attempt ${String(nextAttempt)}`,
      `${second} attempt 1`,
    ]);
    expect(mostAtOnce).toBe(1);
  },
);

test('what is not released at first keeps nothing else from being claimed, and is released later', async () => {
  const { store, stored, claimOne } = await openFixture(sqliteFile);
  await stored({ content: 'A' });
  const lost = await claimOne();
  store.forget([lost]);
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
): void {
  const works = store[operation];
  let left = times;
  store[operation] = (...parameters) => {
    left -= 1;
    return left >= 0
      ? Promise.reject(new PortariaError('store-failed', 'a damaged page'))
      : works(...parameters);
  };
}
