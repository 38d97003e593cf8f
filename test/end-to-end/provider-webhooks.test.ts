/** Webhooks as the built provider sends them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addCompany,
  addWebhookEndpoint,
  changeCompany,
  findOrCreateOrganization,
  openProvider,
  startWebhookSender,
} from '@portaria/provider';
import { expect, onTestFinished, test } from 'vitest';
import { testContext } from '../../src/testing/test-context.ts';
import { startReceiver } from '../../provider/test/kit/webhook-receiver.ts';
import { eventually } from '../support/eventually.ts';

/** A provider on a file with a company. The receiver gets a webhook for each new name. */
async function setUp() {
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
  const { log } = testContext();

  async function start() {
    const sender = await startWebhookSender(provider, { log });
    onTestFinished(() => sender.stop());
    return sender;
  }

  return {
    provider,
    receiver,
    start,
    async rename(...names: readonly string[]) {
      for (const name of names)
        await provider.change(organization, (change) =>
          changeCompany(change, id, { name }, 'company.updated'),
        );
    },
    names: () => receiver.received.map(({ body }) => /"name":"([^"]*)"/.exec(body)?.[1]),
    statuses: () =>
      provider.sqlite.prepare<[], string>('select status from webhook_deliveries order by id').pluck().all(),
  };
}

type Setup = Awaited<ReturnType<typeof setUp>>;

const allDelivered = (setup: Setup, count: number) =>
  eventually('all are delivered', () => {
    const statuses = setup.statuses();
    return statuses.length === count && statuses.every((status) => status === 'delivered');
  });

test('sends webhooks recorded before and after its start in order', async () => {
  const setup = await setUp();
  const names = Array.from({ length: 300 }, (_, at) => `N${String(at)}`);
  await setup.rename(...names.slice(0, 250));
  const sender = await setup.start();
  await setup.rename(...names.slice(250));

  await allDelivered(setup, 300);
  expect(setup.names()).toEqual(names);
  expect(sender.counts).toMatchObject({ sent: 300, delivered: 300, failed: 0 });
});

test('retries a failed webhook when the clock of the provider is advanced', async () => {
  const setup = await setUp();
  setup.receiver.respond({ status: 503, headers: { 'retry-after': '60' } });
  await setup.start();
  await setup.rename('B', 'C');
  await eventually('the first attempt is recorded', () =>
    setup.provider.sqlite.prepare('select 1 from webhook_deliveries where attempts = 1').get(),
  );

  await setup.provider.advanceClock(60_000);

  await allDelivered(setup, 2);
  expect(setup.names()).toEqual(['B', 'B', 'C']);
});

test('finishes attempts in flight when it stops, and sends the rest after the next start', async () => {
  const setup = await setUp();
  let finish = () => {};
  setup.receiver.respond((response) => {
    finish = () => response.writeHead(204).end();
  });
  const sender = await setup.start();
  await setup.rename('B', 'C');
  await eventually('the first is in flight', () => setup.receiver.received.length === 1);
  const stopped = sender.stop();
  finish();
  await stopped;
  expect(setup.statuses()).toEqual(['delivered', 'pending']);
  expect(sender.counts).toMatchObject({ sent: 1, delivered: 1 });

  await setup.start();
  await allDelivered(setup, 2);
  expect(setup.names()).toEqual(['B', 'C']);
});

test('cuts off an attempt that outlasts the grace period, and repeats it after the next start', async () => {
  const setup = await setUp();
  setup.receiver.respond(() => undefined);
  const sender = await setup.start();
  await setup.rename('B');
  await eventually('it is in flight', () => setup.receiver.received.length === 1);
  await sender.stop();
  expect(setup.statuses()).toEqual(['pending']);

  await setup.start();
  await allDelivered(setup, 1);
  expect(setup.names()).toEqual(['B', 'B']);
});
