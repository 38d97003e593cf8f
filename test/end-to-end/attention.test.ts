/** A handler that keeps failing: other processes and the operator's system learn of its open breaker. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { alertSecret, startPager } from '../support/pager.ts';
import { portaria, rows, rowsOf, serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';

test('an open breaker is in stats and doctor of another process, in metrics, and in a signed alert', async () => {
  const { database, folder } = createWorkspace();
  const handlers = join(folder, 'failing');
  const { received, settings } = await startPager();
  mkdirSync(handlers);
  writeFileSync(
    join(handlers, 'mail.mjs'),
    `import { defineHandler } from 'portaria';
     export default defineHandler({ name: 'mail', on: 'charge.*', breaker: { failures: 2, subjects: 2 },
       handle() { throw new Error('the mail server is down'); } });`,
  );
  const env = {
    PORTARIA_DATABASE: database,
    PORTARIA_HANDLERS: handlers,
    ...settings,
  };
  const running = await serve(env);
  const { type, data } = fixture('charge.created');
  for (const id of [1, 2, 3]) await running.post({ type, data: { ...data, id } });

  const alert = await eventually('the alert arrives', () => received[0]);
  const [stats] = await rows(['stats'], env);
  expect(stats?.['open_breakers']).toHaveLength(1);
  const doctor = await portaria(['doctor', '--strict', '--json'], env);
  expect(doctor.code).toBe(6);
  expect(
    rowsOf({ ...doctor, code: 0 }, ['doctor']).find(({ name }) => name === 'open-breaker'),
  ).toMatchObject({
    state: 'attention',
    detail: expect.stringMatching(
      /^the breaker of handler mail has been open .*: Error: the mail server is down .*; repair/,
    ),
  });

  expect(new Webhook(alertSecret).verify(alert.body, alert.headers as Record<string, string>)).toMatchObject({
    type: 'portaria.problem.began',
    data: { problem: 'open-breaker', of: 'mail' },
  });
  const operators = new URL(running.operators).origin;
  const metrics = await (await fetch(`${operators}/metrics`)).text();
  expect(metrics).toContain('portaria_problems{problem="open-breaker",of="mail"} 1');
  expect(metrics).toMatch(
    /^portaria_last_received_timestamp_seconds\{source="default",kind="charge\.created"\} 1\d{9}/m,
  );
  const { data: problems } = (await (await fetch(`${operators}/api/attention`)).json()) as { data: unknown };
  expect(problems).toMatchObject([{ problem: 'open-breaker', of: 'mail' }]);

  running.kill('SIGTERM');
  await running.ended;
  // A process that has ended has no breakers, and a store with handlers needs one that runs.
  const after = rowsOf({ ...(await portaria(['doctor', '--json'], env)), code: 0 }, ['doctor']);
  expect(after.filter(({ state }) => state === 'attention')).toMatchObject([{ name: 'no-process' }]);
});

test('a disk that is low is told at once by the process that serves', async () => {
  const { settings, told } = await startPager();
  const env = { PORTARIA_DATABASE: createWorkspace().database, PORTARIA_DISK_LOW: '0%,999999GiB' };
  await serve({ ...env, ...settings });
  await eventually('the alert arrives', () => told().includes('began disk-low'));
});
