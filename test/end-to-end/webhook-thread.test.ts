/** Webhooks as the built provider sends them: from a thread of their own. */
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type * as OpenFromSource from '../../provider/open-provider.ts';
import type * as OrganizationFromSource from '../../provider/organizations/organization.ts';
import type * as CompanyFromSource from '../../provider/companies/change-company.ts';
import type * as EndpointFromSource from '../../provider/webhooks/webhook-endpoint.ts';
import type * as DeadFromSource from '../../provider/webhooks/dead-webhooks.ts';
import type * as SenderFromSource from '../../provider/webhooks/start-webhook-sender.ts';
import { calm } from '../../provider/webhooks/chaos/chaos-rates.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { startReceiver } from '../../provider/test/webhook-receiver.ts';
import { eventually } from '../support/eventually.ts';

const built = (path: string) => new URL(`../../dist/provider/${path}.js`, import.meta.url).href;
const { openProvider } = (await import(built('open-provider'))) as typeof OpenFromSource;
const { findOrCreateOrganization } = (await import(
  built('organizations/organization')
)) as typeof OrganizationFromSource;
const { addCompany, changeCompany } = (await import(
  built('companies/change-company')
)) as typeof CompanyFromSource;
const { addWebhookEndpoint } = (await import(
  built('webhooks/webhook-endpoint')
)) as typeof EndpointFromSource;
const { resendDeadWebhooks } = (await import(built('webhooks/dead-webhooks'))) as typeof DeadFromSource;
const { startWebhookSender } = (await import(
  built('webhooks/start-webhook-sender')
)) as typeof SenderFromSource;

/** A provider on a file, with a company, whose renamings are told to a receiver. */
async function openWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-sender-'));
  const file = join(folder, 'provider.db');
  const provider = openProvider({ path: file });
  onTestFinished(async () => {
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const receiver = await startReceiver();
  const organization = await findOrCreateOrganization(provider, 'A');
  const { id } = await provider.change(organization, (change) =>
    addCompany(change, { name: 'A', tax_id: '11222333000181' }),
  );
  await addWebhookEndpoint(provider, organization, { url: receiver.url });
  const { log, logged } = testContext();

  async function start() {
    const sender = await startWebhookSender(provider, { log, from: 'thread' });
    onTestFinished(() => sender.stop());
    return sender;
  }

  return {
    provider,
    file,
    receiver,
    logged,
    start,
    async rename(...names: readonly string[]) {
      for (const name of names)
        await provider.change(organization, (change) =>
          changeCompany(change, id, { name }, 'company.updated'),
        );
    },
    told: () => receiver.received.map(({ body }) => /"name":"([^"]*)"/.exec(body)?.[1]),
    statuses: () =>
      provider.sqlite.prepare<[], string>('select status from webhook_deliveries order by id').pluck().all(),
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

const allDelivered = (world: World, count: number) =>
  eventually('all are delivered', () => {
    const statuses = world.statuses();
    return statuses.length === count && statuses.every((status) => status === 'delivered');
  });

test('what was recorded before and after the start arrives in order, and is written down', async () => {
  const world = await openWorld();
  const names = Array.from({ length: 300 }, (_, at) => `N${String(at)}`);
  await world.rename(...names.slice(0, 250));
  const sender = await world.start();
  await world.rename(...names.slice(250));

  await allDelivered(world, 300);
  expect(world.told()).toEqual(names);
  expect(sender.counts).toMatchObject({ sent: 300, delivered: 300, failed: 0 });
});

test('what failed is tried again when the time of the provider is put forward', async () => {
  const world = await openWorld();
  world.receiver.answer({ status: 503, headers: { 'retry-after': '60' } });
  await world.start();
  await world.rename('B', 'C');
  await eventually('the first try is written down', () =>
    world.provider.sqlite.prepare('select 1 from webhook_deliveries where attempts = 1').get(),
  );

  await world.provider.advanceClock(60_000);

  await allDelivered(world, 2);
  expect(world.told()).toEqual(['B', 'B', 'C']);
});

test('chaos can be changed while it runs', async () => {
  const world = await openWorld();
  const sender = await world.start();
  sender.setChaos({ rates: { ...calm, losses: 1 }, seed: 1 });
  await world.rename('B');
  await eventually('it is lost', () => world.statuses()[0] === 'lost');
  sender.setChaos({ rates: calm, seed: 1 });
  await world.rename('C');

  await eventually('the next one is delivered', () => world.statuses()[1] === 'delivered');
  expect(sender.counts).toMatchObject({ losses: 1, delivered: 1 });
});

test('a dead webhook that is put back is sent', async () => {
  const world = await openWorld();
  await world.rename('B');
  world.provider.sqlite.exec("update webhook_deliveries set status = 'dead', attempts = 8");
  await world.start();

  expect(await resendDeadWebhooks(world.provider)).toBe(1);

  await allDelivered(world, 1);
});

test('what is on its way is finished at the end, and the rest stays for the next start', async () => {
  const world = await openWorld();
  let finish = () => {};
  world.receiver.answer((response) => {
    finish = () => response.writeHead(204).end();
  });
  const sender = await world.start();
  await world.rename('B', 'C');
  await eventually('the first is on its way', () => world.receiver.received.length === 1);
  const stopped = sender.stop();
  finish();
  await stopped;
  expect(world.statuses()).toEqual(['delivered', 'pending']);
  expect(sender.counts).toMatchObject({ sent: 1, delivered: 1 });

  await world.start();
  await allDelivered(world, 2);
  expect(world.told()).toEqual(['B', 'C']);
});

test('what does not end within the limit is cut off, and sent again at the next start', async () => {
  const world = await openWorld();
  world.receiver.answer(() => undefined);
  const sender = await world.start();
  await world.rename('B');
  await eventually('it is on its way', () => world.receiver.received.length === 1);
  await sender.stop();
  expect(world.statuses()).toEqual(['pending']);

  await world.start();
  await allDelivered(world, 1);
  expect(world.told()).toEqual(['B', 'B']);
});

test('a thread that ends by itself is followed by another', async () => {
  const world = await openWorld();
  await world.rename('B');
  renameSync(world.file, `${world.file}.gone`);
  await world.start();
  await eventually('it has ended', () =>
    world.logged.some(
      ({ message }) => message === 'The thread that sends webhooks has ended; another is started',
    ),
  );
  renameSync(`${world.file}.gone`, world.file);

  await allDelivered(world, 1);
});
