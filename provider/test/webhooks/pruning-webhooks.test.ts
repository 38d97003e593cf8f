import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/kernel/time/durations.ts';
import { countWebhooks } from '../../webhooks/outbox/outbox.ts';
import { startPruning } from '../../webhooks/outbox/prune-webhooks.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { company } from '../kit/people.ts';
import { openWithSender } from '../kit/sending-setup.ts';

type Setup = Awaited<ReturnType<typeof openWithSender>>;

async function openPruned() {
  const setup = await openWithSender();
  const pruning = startPruning(setup.provider, { keepMs: 7 * DAY_MS, log: setup.log });
  onTestFinished(() => pruning.stop());
  await setup.start();
  await setup.ours.post('/v1/companies', company);
  return setup;
}

/** Advances the provider's clock and fires the timers of the machine's. */
async function pass({ provider, clock }: Setup, ms: number): Promise<void> {
  await provider.advanceClock(ms);
  clock.advance(0);
}

const allDelivered = (setup: Setup) =>
  setup.until('all are delivered', (rows) => rows.every(({ status }) => status === 'delivered'));

const events = ({ provider }: Setup) =>
  provider.sqlite.prepare<[], number>('select id from webhook_events order by id').pluck().all();

test('deletes delivered webhooks when they are old enough, and not before', async () => {
  const setup = await openPruned();
  await setup.rename('B');
  await allDelivered(setup);
  await pass(setup, 3 * DAY_MS);
  await setup.rename('C');
  await allDelivered(setup);

  await pass(setup, 4 * DAY_MS - MINUTE_MS);
  await setup.rename('D');
  await allDelivered(setup);
  expect(events(setup)).toEqual([1, 2, 3, 4]);

  await pass(setup, 2 * MINUTE_MS);
  await eventually('the old ones are gone', () => events(setup).length === 2);
  expect(events(setup)).toEqual([3, 4]);
  expect((await setup.deliveries()).map(({ id }) => id)).toEqual([3, 4]);
});

test('deletes more than one batch, and does not reuse ids', async () => {
  const setup = await openPruned();
  await setup.rename(...Array.from({ length: 250 }, (_, at) => `N${String(at)}`));
  await allDelivered(setup);
  await pass(setup, 8 * DAY_MS);

  await eventually('all are gone', () => events(setup).length === 0);
  await setup.rename('last');
  expect(events(setup)).toEqual([252]);
});

test.each(['dead', 'lost', 'pending', 'aside'] as const)(
  'what is %s stays however old it is',
  async (status) => {
    const setup = await openPruned();
    await setup.rename('B', 'C');
    await allDelivered(setup);
    setup.provider.sqlite
      .prepare("update webhook_deliveries set status = ?, due_at = '2999-01-01T00:00:00.000Z' where id = 2")
      .run(status);
    await pass(setup, 8 * DAY_MS);

    await eventually('the delivered ones are gone', () => events(setup).length === 1);
    expect(events(setup)).toEqual([2]);
    expect(await countWebhooks(setup.provider)).toMatchObject({ delivered: 0, [status]: 1 });
  },
);

test('keeps a webhook that was delivered recently, however old its record is', async () => {
  const setup = await openPruned();
  await allDelivered(setup);
  setup.provider.sqlite.exec("update webhook_deliveries set due_at = '2026-03-17T12:00:00.000Z'");
  await pass(setup, 8 * DAY_MS);
  await setup.rename('B');
  await allDelivered(setup);
  expect(events(setup)).toEqual([1, 2]);

  await pass(setup, 7 * DAY_MS);
  await eventually('it is gone', () => !events(setup).includes(1));
});

test('deletes an event together with its last delivery', async () => {
  const setup = await openPruned();
  await allDelivered(setup);
  setup.provider.sqlite.exec(
    `insert into webhook_deliveries (organization_id, endpoint_id, event_id, status, due_at)
     select organization_id, endpoint_id, event_id, 'dead', due_at from webhook_deliveries`,
  );
  await pass(setup, 8 * DAY_MS);

  await eventually(
    'the delivered one is gone',
    async () => (await countWebhooks(setup.provider)).delivered === 0,
  );
  expect(events(setup)).toEqual([1]);
});
