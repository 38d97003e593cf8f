/**
 * Given three receivers on one PostgreSQL, the clocks of whose machines are right, an hour ahead, and an hour behind:
 * retries wait as long as they should, leases hold, and what is stored has the time of the database.
 */
import { expect, test } from 'vitest';
import { recording } from '../../support/workspace.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest, query, startReceivers } from '../kit/programs/receivers.ts';
import { shiftedClock } from '../kit/programs/shifted-clock.ts';

const HOUR_MS = 3_600_000;
/** The wait that the handler asks for: longer than the test takes, and shorter than clocks differ. */
const RETRY_MS = HOUR_MS / 2;

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
    record('patient ' + attempt + ' ' + data.code);
    if (attempt === 1 && !existsSync(join(folder, 'later'))) throw new RetryLater(${String(RETRY_MS)});
  },
});
`,
  );
  const began = Date.now();
  for (const [place, ms] of [HOUR_MS, -HOUR_MS].entries())
    await receivers.start(place + 1, shiftedClock(workspace, ms));
  await receivers.end(0, 'SIGTERM');
  await receivers.start(0);
  await receivers.acknowledgedMore(100);
  await receivers.end(1, 'SIGKILL');
  await receivers.acknowledgedMore(40);

  // A process whose own hour counts would have begun them.
  expect(workspace.recorded().filter((line) => line.startsWith('patient 2 '))).toEqual([]);
  const [stored] = await query(
    database,
    `select (select min(received_at) from events)::float8 as first_event, (select max(received_at) from events)::float8 as last_event,
      min(ended_at)::float8 as first_attempt, max(ended_at)::float8 as last_attempt,
      min(due_at)::float8 - ${String(RETRY_MS)} as first_due, max(due_at)::float8 - ${String(RETRY_MS)} as last_due
      from attempts where delivery_id in (select id from deliveries where handler = 'patient')`,
  );
  for (const [what, at] of Object.entries(stored ?? {})) {
    expect(at, what).toBeGreaterThan(began - HOUR_MS / 4);
    expect(at, what).toBeLessThan(Date.now() + HOUR_MS / 4);
  }
  workspace.open('later');
  await query(
    database,
    `update deliveries set due_at = due_at - ${String(RETRY_MS)} where handler = 'patient' and finished_at is null`,
  );

  await receivers.finish('wrong clocks');
  expect(workspace.recorded().filter((line) => line.startsWith('patient 2 '))).not.toEqual([]);
});
