/**
 * Given three receivers on one PostgreSQL, the clocks of whose machines are right, an hour ahead, and an hour behind:
 * retries are neither early nor late, leases hold, and what is stored has the time of the database.
 */
import { expect, test } from 'vitest';
import { recording } from '../../support/workspace.ts';
import { inspectStore } from '../kit/inspect-store.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest, startReceivers } from '../kit/programs/receivers.ts';
import { shiftedClock } from '../kit/programs/shifted-clock.ts';

const HOUR_MS = 3_600_000;
/** The wait that the handler asks for after its first attempt. */
const RETRY_MS = 10_000;
/** Milliseconds by which processes may differ: what a clock that follows ignores, and half a round trip. */
const MAX_EARLY_MS = 5_000;

test('a clock that is an hour off changes nothing', async (context) => {
  need(context, 'postgres');
  const server = await postgresOfTest();
  const database = await createDatabase(server);
  const receivers = await startReceivers(database, [{}]);
  const { workspace } = receivers;
  workspace.writeHandler(
    'patient.ts',
    `${recording(workspace)}
import { RetryLater } from 'portaria';

export default defineHandler({
  name: 'patient',
  on: 'charge.*',
  handle({ data }, { attempt }) {
    if (Number(data.amount) % 20 !== 0) return;
    // The monotonic clock is one for all processes of a machine, and nobody shifts it.
    record('patient ' + process.pid + ' ' + data.code + ' ' + String(process.hrtime.bigint() / 1_000_000n));
    if (attempt === 1) throw new RetryLater(${String(RETRY_MS)});
  },
});
`,
  );
  const began = Date.now();
  for (const [place, ms] of [HOUR_MS, -HOUR_MS].entries())
    await receivers.start(place + 1, shiftedClock(workspace, ms));
  await receivers.end(0, 'SIGTERM');
  await receivers.start(0);
  await receivers.acknowledgedMore(300);
  await receivers.end(1, 'SIGKILL');
  await receivers.acknowledgedMore(100);

  await receivers.finish('wrong clocks');
  const attempts = Map.groupBy(
    workspace
      .recorded()
      .filter((line) => line.startsWith('patient '))
      .map((line) => line.split(' ')),
    ([, , code = '']) => code,
  );
  const waits = [...attempts.values()].flatMap(([first, second]) =>
    second === undefined ? [] : [Number(second[3]) - Number(first?.[3])],
  );
  expect(waits.length).toBeGreaterThan(0);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(RETRY_MS - MAX_EARLY_MS);
  // One that comes an hour late would not be over yet.
  expect(Math.max(...waits)).toBeLessThan(HOUR_MS / 2);
  const received = await inspectStore(database, async (store) =>
    (await store.events({}, { order: 'oldest', limit: 1_000_000 })).map(({ receivedAt }) => receivedAt),
  );
  expect(Math.min(...received)).toBeGreaterThan(began - HOUR_MS / 2);
  expect(Math.max(...received)).toBeLessThan(Date.now() + HOUR_MS / 2);
});
