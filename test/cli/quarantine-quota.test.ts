import { expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { bytes, sampleRejection } from '../conformance/sample-event.ts';
import { cliWorld } from './cli-world.ts';

/** A quarantine of which the oldest entry was dropped. */
async function fullWorld() {
  const world = cliWorld();
  const store = await openSqliteStore({
    path: world.database,
    role: 'owner',
    clock: world.clock,
    maxQuarantineBytes: 5_000,
  });
  for (const mark of ['a', 'b', 'c'])
    await store.quarantine(sampleRejection({ body: bytes(mark.repeat(1_500)), senderVerified: false }));
  await store.close();
  return world;
}

const DROPPED = '0 from verified and 1 from unverified senders dropped by the quota';

test('a list says beside its rows how many were dropped', async () => {
  const list = await (await fullWorld()).run('quarantine', 'list', '--json');
  expect(list.rows.map(({ id }) => id)).toEqual(['q3', 'q2']);
  expect(list.err).toBe(`Not shown: ${DROPPED}.\n`);
});

test('what was dropped is not found, with the reason', async () => {
  const world = await fullWorld();
  for (const command of ['show', 'release'])
    expect(await world.run('quarantine', command, 'q1')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/dropped by the quota/iu) as string,
    });
});

test('stats and doctor show the quota, what is held of it, and what was dropped', async () => {
  const world = await fullWorld();
  expect((await world.run('stats')).out).toContain(`2 (4.1 KiB of 1.0 GiB); ${DROPPED}`);
  expect((await world.run('doctor')).out).toContain(`2 held, 4.1 KiB of 1.0 GiB; ${DROPPED}`);
});

test('doctor says what to do about a quarantine that is nearly full', async () => {
  const world = cliWorld();
  world.env['PORTARIA_MAX_QUARANTINE_BYTES'] = '1048576';
  const body = new Uint8Array(1_000_000);
  await world.withStore((store) => store.quarantine(sampleRejection({ body })));
  const { out } = await world.run('doctor');
  expect(out).toMatch(/quarantine +1 held, 977\.\d KiB of 1\.0 MiB; none dropped: nearly full/u);
});
