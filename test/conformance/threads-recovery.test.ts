/** When the built store ends its recovery after a crash: not before its reading thread answers. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSqliteStore, threads } from './built-threads.ts';
import { sqliteThread } from './sqlite-places.ts';
import { fixtureAt, openFixture } from './store-fixture.ts';
import { createReplay } from '../support/replay-job.ts';

/** Stores whose reading threads get no message before `begin` is called. */
function slowReaders() {
  const waiting: (() => void)[] = [];
  let isHeld = true;
  const kind = sqliteThread(openSqliteStore, (which) => {
    const thread = threads[which]();
    if (which === 'writer') return thread;
    const post = thread.postMessage.bind(thread);
    thread.postMessage = (...message: Parameters<typeof post>) => {
      if (isHeld) {
        waiting.push(() => {
          post(...message);
        });
      } else post(...message);
    };
    return thread;
  });
  const begin = () => {
    isHeld = false;
    for (const post of waiting.splice(0)) post();
  };
  return { kind, begin };
}

test('after a crash, recovery ends once reads are answered, which folds of the interrupted deliveries need', async () => {
  const { kind, begin } = slowReaders();
  const crashed = await openFixture(kind);
  await crashed.stored({});
  await crashed.claimOne();
  const { store } = await fixtureAt(await crashed.place.afterPowerFailure(), crashed.clock);
  let recovered = 0;

  const recovery = store.recover().then((count) => (recovered = count));
  // Writes are in order: this one ends after those of the recovery.
  await createReplay(store, {}, 1);
  await setImmediate();
  expect(recovered).toBe(0);
  begin();

  expect(await recovery).toBe(1);
});

test('after a regular shutdown, recovery does not wait for the reading thread', async () => {
  const { kind, begin } = slowReaders();
  const { store } = await openFixture(kind);

  expect(await store.recover()).toBe(0);

  begin();
});
