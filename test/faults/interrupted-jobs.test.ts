/**
 * Given a staged retry whose serving process is killed (`kill -9`) again and again: it goes on after each start,
 * ends, and has acted on each delivery once.
 */
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { rows, serve } from '../support/running-portaria.ts';
import { createWorkspace, recording } from '../support/workspace.ts';
import { chargeBody } from './kit/senders/webhooks.ts';

const DELIVERIES = 150;
/** Deliveries that were handled again when the process is killed: in a stage of 10, of 100, and of all. */
const KILLED_AT = [5, 60, 125];

test('a staged retry survives kill -9, and acts on nothing twice', async () => {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'books.ts',
    `${recording(workspace)}
    import { RetryLater } from 'portaria';
    // Neither failed nor gave up, so that no breaker opens.
    export default defineHandler({
      name: 'books',
      on: 'charge.*',
      retry: { attempts: 1 },
      handle({ subject }) {
        if (!existsSync(join(folder, 'mended'))) throw RetryLater(0, 'no order ' + subject.id);
        record(subject.id);
      },
    });`,
  );
  const env = {
    ...workspace.settings,
    PORTARIA_LOG_FORMAT: 'json',
    PORTARIA_PORT: '0',
    PORTARIA_OPS_PORT: '0',
  };
  let running = await serve(env);
  for (let subject = 0; subject < DELIVERIES; subject++)
    await running.post(JSON.parse(chargeBody(subject, 1)));
  await eventually('every delivery is dead', async () => {
    const [group] = await rows(['failures'], env);
    return group?.['dead'] === DELIVERIES ? group : undefined;
  });
  workspace.open('mended');

  const plan = await fetch(new URL('/api/plans', running.operators), post({ action: 'retry' }));
  const { plan: token, items } = (await plan.json()) as { plan: string; items: number };
  expect(items).toBe(DELIVERIES);
  const started = await fetch(new URL('/api/jobs', running.operators), post({ plan: token, rate: 60 }));
  expect(started.status).toBe(200);

  for (const handled of KILLED_AT) {
    await eventually(`${String(handled)} were handled`, () =>
      workspace.recorded().length >= handled ? true : undefined,
    );
    running.kill('SIGKILL');
    await running.ended;
    running = await serve(env);
  }
  const job = await eventually('the job ends', async () => {
    const [found] = await rows(['jobs', 'list'], env);
    return found?.['state'] === 'running' ? undefined : found;
  });
  running.kill('SIGTERM');
  await running.ended;

  expect(job).toMatchObject({
    state: 'finished',
    planned: DELIVERIES,
    acted: DELIVERIES,
    left_alone: 0,
    succeeded: DELIVERIES,
    failed: 0,
  });
  // An attempt that the kill cut off runs again; no delivery is retried again.
  expect(new Set(workspace.recorded()).size).toBe(DELIVERIES);
  const database = new BetterSqlite3(workspace.database, { readonly: true });
  const count = (text: string) => database.prepare(`select count(*) from ${text}`).pluck().get();
  expect(count("attempts where outcome = 'dead'")).toBe(DELIVERIES);
  expect(count('job_items where outcome is not null')).toBe(DELIVERIES);
  expect(count("deliveries where status = 'succeeded'")).toBe(DELIVERIES);
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
});

function post(body: object): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}
