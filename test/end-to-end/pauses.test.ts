/** Pauses by the command line beside a running server, and over its restart. */
import { expect, test } from 'vitest';
import { allHandled } from '../faults/kit/statistics.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { portaria, serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';

const { type, data } = fixture('charge.updated');
const charge = (id: number) => ({ type, data: { ...data, id } });

function setUp() {
  const { settings, writeHandler } = createWorkspace();
  writeHandler(
    'ledger.mjs',
    `import { defineHandler } from 'portaria';
     export default defineHandler({ name: 'ledger', on: 'charge.*', handle() {} });`,
  );
  return settings;
}

test('the command line pauses a running server, a restart keeps the pause, and a resume lets everything run', async () => {
  const env = setUp();
  const first = await serve(env);
  expect((await first.post(charge(1))).status).toBe(202);
  expect((await allHandled(first)).deliveries.succeeded).toBe(1);

  const paused = await portaria(['handlers', 'pause', 'ledger', '--reason', 'repair', '--json'], env);
  expect(JSON.parse(paused.out)).toMatchObject({
    scope: 'handler ledger',
    // The running process took note before the command ended.
    acknowledged_at: expect.any(String) as string,
  });
  for (const id of [2, 3]) expect((await first.post(charge(id))).status).toBe(202);
  const metrics = await (await fetch(new URL('/metrics', first.operators))).text();
  expect(metrics).toContain('portaria_paused{type="handler",handler="ledger",source=""} 1');
  first.kill('SIGTERM');
  expect((await first.ended).code).toBe(0);

  const second = await serve(env);
  expect((await second.post(charge(4))).status).toBe(202);
  const waiting = await fetch(new URL('/api/deliveries?status=pending', second.operators));
  const { data: pending } = (await waiting.json()) as { data: readonly { waits_for: string }[] };
  expect(pending.map(({ waits_for: why }) => why)).toEqual(
    Array(3).fill(expect.stringMatching(/^paused \(handler ledger\) by .+: repair$/)),
  );

  expect((await portaria(['handlers', 'resume', 'ledger'], env)).out).toContain('Resumed: handler ledger');
  expect((await allHandled(second)).deliveries).toMatchObject({ succeeded: 4, dead: 0 });
  second.kill('SIGTERM');
  await second.ended;
});
