/** A handler that blocks for ever, two receivers on one PostgreSQL: one after the other ends, then the event is a dead letter. */
import { expect, test } from 'vitest';
import { charge } from '../../support/webhooks/envelopes.ts';
import { eventually } from '../../support/eventually.ts';
import { rows, serve } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { need } from '../kit/needs.ts';
import { createDatabase, postgresOfTest } from '../kit/programs/receivers.ts';

/** Sleeps in its loop, so that it blocks the event loop and no processor. */
const BLOCKING = `
  import { defineHandler } from 'portaria';
  const sleep = new Int32Array(new SharedArrayBuffer(4));
  export default defineHandler({
    name: 'blocking', on: 'charge.*', handle({ data }) { while (data.id === 1) Atomics.wait(sleep, 0, 0, 10); } });`;

test('two receivers end, not more, and what they kept is handled', async (context) => {
  need(context, 'postgres');
  const workspace = createWorkspace();
  workspace.writeHandler('blocking.ts', BLOCKING);
  const env = {
    PORTARIA_DATABASE: await createDatabase(await postgresOfTest()),
    PORTARIA_HANDLERS: workspace.handlers,
    // Longer than a lease lasts, which the watchdog keeps.
    PORTARIA_STALL_TIMEOUT_MS: '11000',
  };
  const receivers = [await serve(env), await serve(env)] as const;
  await receivers[0].post(charge(1, 1));

  const first = await Promise.race(
    receivers.map((one) =>
      one.ended.then((ended) => ({ ended, other: receivers.find((other) => other !== one) })),
    ),
  );
  expect(first.ended).toMatchObject({ code: 70 });
  expect(await rows(['deliveries', 'list'], env)).toMatchObject([{ status: 'pending', attempts: 1 }]);
  expect(await first.other?.ended).toMatchObject({ code: 70 });
  expect(await rows(['deliveries', 'list'], env)).toMatchObject([{ status: 'dead', attempts: 2 }]);

  const third = await serve(env);
  await third.post(charge(2, 1));
  await eventually(
    'the next event is handled',
    async () => (await rows(['deliveries', 'list', '--status', 'succeeded'], env)).length === 1,
  );
});
