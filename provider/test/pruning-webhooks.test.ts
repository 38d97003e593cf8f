import { expect, onTestFinished, test } from 'vitest';
import { countWebhooks } from '../webhooks/outbox/count-webhooks.ts';
import { startPruning } from '../webhooks/outbox/prune-webhooks.ts';
import { eventually } from '../../test/support/eventually.ts';
import { company } from './people.ts';
import { openSendingWorld } from './sending-world.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

type World = Awaited<ReturnType<typeof openSendingWorld>>;

async function openPruned() {
  const world = await openSendingWorld();
  const pruning = startPruning(world.provider, { keepMs: 7 * DAY_MS, log: world.log });
  onTestFinished(() => pruning.stop());
  await world.start();
  await world.ours.post('/v1/companies', company);
  return world;
}

/** Advances the provider's clock and fires the timers of the machine's. */
async function pass({ provider, clock }: World, ms: number): Promise<void> {
  await provider.advanceClock(ms);
  clock.advance(0);
}

const allDelivered = (world: World) =>
  world.until('all are delivered', (rows) => rows.every(({ status }) => status === 'delivered'));

const events = ({ provider }: World) =>
  provider.sqlite.prepare<[], number>('select id from webhook_events order by id').pluck().all();

test('deletes delivered webhooks when they are old enough, and not before', async () => {
  const world = await openPruned();
  await world.rename('B');
  await allDelivered(world);
  await pass(world, 3 * DAY_MS);
  await world.rename('C');
  await allDelivered(world);

  await pass(world, 4 * DAY_MS - MINUTE_MS);
  await world.rename('D');
  await allDelivered(world);
  expect(events(world)).toEqual([1, 2, 3, 4]);

  await pass(world, 2 * MINUTE_MS);
  await eventually('the old ones are gone', () => events(world).length === 2);
  expect(events(world)).toEqual([3, 4]);
  expect((await world.deliveries()).map(({ id }) => id)).toEqual([3, 4]);
});

test('deletes more than one batch, and does not reuse ids', async () => {
  const world = await openPruned();
  await world.rename(...Array.from({ length: 250 }, (_, at) => `N${String(at)}`));
  await allDelivered(world);
  await pass(world, 8 * DAY_MS);

  await eventually('all are gone', () => events(world).length === 0);
  await world.rename('last');
  expect(events(world)).toEqual([252]);
});

test.each(['dead', 'lost', 'pending', 'aside'] as const)(
  'what is %s stays however old it is',
  async (status) => {
    const world = await openPruned();
    await world.rename('B', 'C');
    await allDelivered(world);
    world.provider.sqlite
      .prepare("update webhook_deliveries set status = ?, due_at = '2999-01-01T00:00:00.000Z' where id = 2")
      .run(status);
    await pass(world, 8 * DAY_MS);

    await eventually('the delivered ones are gone', () => events(world).length === 1);
    expect(events(world)).toEqual([2]);
    expect(await countWebhooks(world.provider)).toMatchObject({ delivered: 0, [status]: 1 });
  },
);

test('keeps a webhook that was delivered recently, however old its record is', async () => {
  const world = await openPruned();
  await allDelivered(world);
  world.provider.sqlite.exec("update webhook_deliveries set due_at = '2026-03-17T12:00:00.000Z'");
  await pass(world, 8 * DAY_MS);
  await world.rename('B');
  await allDelivered(world);
  expect(events(world)).toEqual([1, 2]);

  await pass(world, 7 * DAY_MS);
  await eventually('it is gone', () => !events(world).includes(1));
});

test('deletes an event together with its last delivery', async () => {
  const world = await openPruned();
  await allDelivered(world);
  world.provider.sqlite.exec(
    `insert into webhook_deliveries (organization_id, endpoint_id, event_id, status, due_at)
     select organization_id, endpoint_id, event_id, 'dead', due_at from webhook_deliveries`,
  );
  await pass(world, 8 * DAY_MS);

  await eventually(
    'the delivered one is gone',
    async () => (await countWebhooks(world.provider)).delivered === 0,
  );
  expect(events(world)).toEqual([1]);
});
