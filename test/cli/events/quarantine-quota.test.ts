import { expect, test } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import { bytes, sampleRejection } from '../../conformance/sample-event.ts';
import { cliEnvironment } from '../kit/cli-environment.ts';

/** A quarantine whose quota has dropped the oldest entry. */
async function cliWithFullQuarantine() {
  const cli = cliEnvironment();
  const store = await openSqliteStore({
    path: cli.database,
    role: 'owner',
    clock: cli.clock,
    maxQuarantineBytes: 5_000,
  });
  for (const mark of ['a', 'b', 'c'])
    await store.quarantine(sampleRejection({ body: bytes(mark.repeat(1_500)), senderVerified: false }));
  await store.close();
  return cli;
}

const DROPPED = '0 from verified and 1 from unverified senders dropped by the quota';

test('list notes how many entries the quota has dropped', async () => {
  const list = await (await cliWithFullQuarantine()).run('quarantine', 'list', '--json');
  expect(list.rows.map(({ id }) => id)).toEqual(['q3', 'q2']);
  expect(list.err).toBe(`Not shown: ${DROPPED}.\n`);
});

test('a dropped entry is not found, and the error says that it was dropped', async () => {
  const cli = await cliWithFullQuarantine();
  for (const command of ['show', 'release'])
    expect(await cli.run('quarantine', command, 'q1')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/dropped:? by the quota/iu) as string,
    });
});

test('stats and doctor show the quota, the entries held and the entries dropped', async () => {
  const cli = await cliWithFullQuarantine();
  expect((await cli.run('stats')).out).toContain(`2 (4.1 KiB of 1.0 GiB); ${DROPPED}`);
  expect((await cli.run('doctor')).out).toContain(`2 held, 4.1 KiB of 1.0 GiB; ${DROPPED}`);
});

test.each([
  [830_000, 'ok', /quarantine +1 held, 81\d\.\d KiB of 1\.0 MiB; none dropped$/mu],
  [850_000, 'WARN', /quarantine .* none dropped: 81 % full, .*PORTARIA_MAX_QUARANTINE_BYTES/u],
  [1_000_000, 'WARN', /quarantine +1 held, 977\.\d KiB of 1\.0 MiB; none dropped: 95 % full/u],
])('doctor warns from 80 %% of the quota on: %i of 1,048,576 bytes is %s', async (size, mark, line) => {
  const cli = cliEnvironment();
  cli.env['PORTARIA_MAX_QUARANTINE_BYTES'] = '1048576';
  const body = new Uint8Array(size);
  await cli.withStore((store) => store.quarantine(sampleRejection({ body })));
  const { code, out } = await cli.run('doctor');
  expect(code).toBe(0);
  expect(out).toMatch(line);
  expect(out).toMatch(new RegExp(`^${mark} +quarantine`, 'm'));
});
