import { expect, test } from 'vitest';
import { listEndpoints, removeEndpoint, addWebhookEndpoint } from '../../webhooks/manage-endpoints.ts';
import { company } from '../kit/people.ts';
import { openWithSender } from '../kit/sending-setup.ts';
import { startReceiver } from '../kit/webhook-receiver.ts';

const events = (provider: Awaited<ReturnType<typeof openWithSender>>['provider']) =>
  provider.query.selectFrom('webhook_events').select('id').execute();

test('a removed endpoint takes its webhooks along, and those of others stay', async () => {
  const { ours, provider, receiver, start, until, passUntil, deliveries } = await openWithSender();
  const other = await startReceiver();
  await start();
  await ours.post('/v1/companies', company);
  await until('it is delivered', ([first]) => first?.status === 'delivered');
  await addWebhookEndpoint(provider, ours.organization, { url: `${other.url}/other` });
  await ours.put('/v1/companies/1', { name: 'A' });
  await passUntil('both have it', (rows) => rows.filter(({ status }) => status === 'delivered').length === 3);

  const url = `${receiver.url}/hook`;
  expect(await removeEndpoint(provider, ours.organization, { url, discard: false })).toEqual({
    discarded: 0,
  });

  expect((await listEndpoints(provider)).map((each) => each.url)).toEqual([`${other.url}/other`]);
  expect(await deliveries()).toHaveLength(1);
  // The event that only the removed endpoint had is gone.
  expect(await events(provider)).toEqual([{ id: 2 }]);
});

test('keeps an endpoint with webhooks to send, unless they may be discarded', async () => {
  const { ours, provider, receiver, rename, deliveries } = await openWithSender();
  await ours.post('/v1/companies', company);
  await rename('A', 'B');
  const remove = (discard: boolean) =>
    removeEndpoint(provider, ours.organization, { url: `${receiver.url}/hook`, discard });

  await expect(remove(false)).rejects.toMatchObject({
    code: 'invalid-argument',
    message: `3 webhooks are still to be sent to ${receiver.url}/hook: wait for them, or add --discard`,
  });
  expect(await deliveries()).toHaveLength(3);

  expect(await remove(true)).toEqual({ discarded: 3 });
  expect(await deliveries()).toEqual([]);
  expect(await events(provider)).toEqual([]);
  expect(await listEndpoints(provider)).toEqual([]);
});

test('a running sender sends nothing more to a removed endpoint, not even what it has read', async () => {
  const { ours, provider, receiver, start, clock, rename, until } = await openWithSender();
  receiver.respond(500);
  await start();
  await ours.post('/v1/companies', company);
  await until('one attempt', ([first]) => first?.attempts === 1);
  await rename('A', 'B', 'C');
  const added = await startReceiver();
  await addWebhookEndpoint(provider, ours.organization, { url: `${added.url}/hook` });

  await removeEndpoint(provider, ours.organization, { url: `${receiver.url}/hook`, discard: true });
  await rename('D');
  // An attempt in flight would outlast its timeout when the clock advances.
  await until('the sender has found the new endpoint', (rows) =>
    rows.some(({ status }) => status === 'delivered'),
  );
  clock.advance(60_000);
  await rename('E');
  await until('the new endpoint has both', (rows) => rows.every(({ status }) => status === 'delivered'));

  expect(receiver.received).toHaveLength(1);
  expect(added.received).toHaveLength(2);
});

test('removes a history of many webhooks', async () => {
  const { ours, provider, receiver, deliveries } = await openWithSender();
  await ours.post('/v1/companies', company);
  provider.sqlite.exec(`
    insert into webhook_deliveries (organization_id, endpoint_id, event_id, status, due_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2500)
    select organization_id, endpoint_id, event_id, 'delivered', due_at from webhook_deliveries, numbers`);
  const url = `${receiver.url}/hook`;

  expect(await removeEndpoint(provider, ours.organization, { url, discard: true })).toEqual({ discarded: 1 });

  expect(await deliveries()).toEqual([]);
  expect(await events(provider)).toEqual([]);
});

test('rejects a URL that the organization has not registered', async () => {
  const { theirs, provider, receiver } = await openWithSender();

  await expect(
    removeEndpoint(provider, theirs.organization, { url: `${receiver.url}/hook`, discard: true }),
  ).rejects.toMatchObject({ code: 'not-found' });
  expect(await listEndpoints(provider, theirs.organization)).toEqual([]);
  expect(await listEndpoints(provider)).toHaveLength(1);
});
