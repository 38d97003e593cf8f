/** Handlers with `order: 'latest'`, from arrival to outcome. */
import { expect, onTestFinished, test } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import type { Telemetry } from '../../src/telemetry/telemetry.ts';
import { setUpOnSqlite, type SqliteSetup } from './kit/sqlite-setup.ts';

/** A handler that notes the numbers of its events, and waits until it is released. */
async function givenHandler(waits: { readonly quietMs?: number; readonly maxWaitMs?: number } = {}) {
  const ran: string[] = [];
  const emitted: unknown[] = [];
  let release: () => void = () => undefined;
  const handler = defineHandler({
    name: 'newest',
    on: 'charge.*',
    order: 'latest',
    ...waits,
    handle({ id }) {
      ran.push(id);
      return new Promise<void>((resolve) => (release = resolve));
    },
  });
  const emit: Telemetry['emit'] = (name, fields) => {
    if (name === 'deliveries.superseded') emitted.push(fields);
  };
  const setup: SqliteSetup = await setUpOnSqlite([handler], { telemetry: { emit } });
  onTestFinished(async () => {
    await setup.dispatcher.stop(0);
    await setup.store.close();
  });
  await setup.dispatcher.start();
  const finishOne = async (): Promise<void> => {
    release();
    await setup.settle();
  };
  return { ...setup, ran, emitted, finishOne };
}

test('while one runs, one waits: the newest runs next, and the others are reported as superseded', async () => {
  const given = await givenHandler();
  const first = await given.receive(1);
  await given.settle();
  for (let more = 0; more < 3; more += 1) await given.receive(1);
  const newest = await given.receive(1);
  await given.settle();
  expect(given.ran).toEqual([first]);

  await given.finishOne();

  expect(given.ran).toEqual([first, newest]);
  expect(given.emitted).toEqual([{ handler: 'newest', deliveries: 3 }]);
  await given.finishOne();
  expect((await given.rows()).map(({ status }) => status)).toEqual([
    'succeeded',
    ...Array<string>(3).fill('skipped'),
    'succeeded',
  ]);
});

test('a burst runs once, when it has been quiet; the dispatcher wakes at that time', async () => {
  const given = await givenHandler({ quietMs: 100, maxWaitMs: 1_000 });
  let last = '';
  for (let arrival = 0; arrival < 4; arrival += 1) {
    last = await given.receive(1);
    await given.pass(60);
  }
  expect(given.ran).toEqual([]);
  await given.pass(40);
  expect(given.ran).toEqual([last]);
});

test('events that keep coming run after the longest wait, and again', async () => {
  const given = await givenHandler({ quietMs: 100, maxWaitMs: 250 });
  for (let arrival = 0; arrival < 10; arrival += 1) {
    await given.receive(1);
    await given.pass(60);
    await given.finishOne();
  }
  expect(given.ran).toHaveLength(2);
});
