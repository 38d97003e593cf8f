import { defaultMaxListeners, getEventListeners } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { company, cnpjs } from '../kit/people.ts';
import { openWithSender } from '../kit/sending-setup.ts';
import { startReceiver, type ReceivedWebhook } from '../kit/webhook-receiver.ts';
import { addWebhookEndpoint } from '../../webhooks/manage-endpoints.ts';

type Deliveries = Awaited<ReturnType<Awaited<ReturnType<typeof openWithSender>>['deliveries']>>;

const allDelivered = (rows: Deliveries) =>
  rows.length > 0 && rows.every(({ status }) => status === 'delivered');
const attempts = (times: number) => (rows: Deliveries) => rows[0]?.attempts === times;

const nothing: ReceivedWebhook = { path: '', headers: {}, body: '' };
const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, no less').toString('base64')}`;

test('sends a webhook as recorded, without extra headers', async () => {
  const { ours, receiver, start, until, provider } = await openWithSender();
  await start();

  await ours.post('/v1/companies', { ...company, name: 'Açúcar & Cia “União” Ltda' });

  await until('it is delivered', allDelivered);
  const { body } = await provider.query.selectFrom('webhook_events').select('body').executeTakeFirstOrThrow();
  expect(receiver.received).toEqual([{ path: '/hook', body, headers: expect.any(Object) as object }]);
  const [{ headers } = nothing] = receiver.received;
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
});

test('sends webhooks in the order of the changes, earlier ones first', async () => {
  const { ours, start, until, receivedNames, rename } = await openWithSender();
  await ours.post('/v1/companies', company);
  await rename('A', 'B');
  await start();
  await rename('C', 'D');

  await until('all are delivered', allDelivered);
  expect(receivedNames()).toEqual([company.name, 'A', 'B', 'C', 'D']);
});

test('signs webhooks by Standard Webhooks', async () => {
  const { ours, receiver, start, until } = await openWithSender({ secret });
  await start();
  await ours.post('/v1/companies', company);
  await until('it is delivered', allDelivered);

  const [{ headers, body } = nothing] = receiver.received;
  const at = Number(headers['webhook-timestamp']) * 1000;
  expect(new Date(at).toISOString()).toBe('2026-03-10T12:00:00.000Z');
  expect(headers['webhook-id']).toMatch(/^msg_.{8}1$/);
  const expected = new Webhook(secret).sign(String(headers['webhook-id']), new Date(at), body);
  expect(headers['webhook-signature']).toBe(expected);
});

test.each([301, 302, 307, 308, 400, 404, 410, 422, 429, 500, 503])(
  'retries a response of %i; later deliveries wait',
  async (status) => {
    const { ours, receiver, start, clock, until, rename, receivedNames, deliveries } = await openWithSender();
    receiver.respond({ status, headers: { location: `${receiver.url}/elsewhere` } });
    await ours.post('/v1/companies', company);
    await rename('B');
    await start();

    await until('one attempt', attempts(1));
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    const [first, second] = await deliveries();
    expect(first).toMatchObject({ status: 'pending', failure: `status ${String(status)}` });
    expect(second).toMatchObject({ status: 'pending', attempts: 0 });

    clock.advance(60_000);
    await until('both are delivered', allDelivered);
    expect(receivedNames()).toEqual([company.name, company.name, 'B']);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook']);
  },
);

test('waits longer after each failure, or as long as the receiver asks', async () => {
  const { ours, receiver, start, clock, until, deliveries } = await openWithSender();
  receiver.respond(500, { status: 503, headers: { 'retry-after': '45' } }, 500);
  await start();
  await ours.post('/v1/companies', company);
  const waits: number[] = [];
  for (const times of [1, 2, 3]) {
    await until(`${String(times)} attempts`, attempts(times));
    const [row] = await deliveries();
    waits.push(Date.parse(row?.due_at ?? '') - clock.now());
    clock.advance(60_000);
  }

  expect(waits[0]).toBeLessThan(1_000);
  expect(waits[1]).toBe(45_000);
  expect(waits[2]).toBeLessThan(4_000);
});

test('marks a webhook dead after the last attempt, and sends the next one', async () => {
  const { ours, receiver, start, passUntil, deliveries, rename, receivedNames, logged } =
    await openWithSender();
  receiver.respond(...Array.from({ length: 8 }, () => 500));
  const sender = await start();
  await ours.post('/v1/companies', company);
  await rename('B');

  await passUntil('the second is delivered', (rows) => rows[1]?.status === 'delivered');

  expect(await deliveries()).toMatchObject([
    { status: 'dead', attempts: 8, failure: 'status 500' },
    { status: 'delivered', attempts: 1, failure: null },
  ]);
  expect(receivedNames()).toEqual([...Array.from({ length: 8 }, () => company.name), 'B']);
  expect(sender.counts).toMatchObject({ sent: 9, delivered: 1, failed: 8, dead: 1 });
  expect(logged.map(({ message }) => message)).toContain('A webhook is dead');
});

test('fails an attempt without a response in time', async () => {
  const { ours, receiver, start, clock, until, deliveries } = await openWithSender();
  receiver.respond(() => undefined);
  await start();
  await ours.post('/v1/companies', company);
  await eventually('it arrived', () => receiver.received.length === 1);
  clock.advance(9_999);
  expect((await deliveries())[0]).toMatchObject({ attempts: 0 });
  clock.advance(1);

  await until('one attempt', attempts(1));
  expect((await deliveries())[0]?.failure).toBe('no complete response within 10 s');
});

test('retries when the receiver is unreachable', async () => {
  const { ours, provider, start, until, deliveries } = await openWithSender();
  await provider.query.updateTable('webhook_endpoints').set({ url: 'http://127.0.0.1:1/' }).execute();
  await start();
  await ours.post('/v1/companies', company);

  await until('one attempt', attempts(1));
  expect((await deliveries())[0]).toMatchObject({
    status: 'pending',
    failure: expect.stringMatching(/ECONNREFUSED|bad port/u),
  });
});

test('delivers on a new connection after the receiver has closed one that was kept', async () => {
  const { ours, receiver, start, passUntil, until, rename } = await openWithSender();
  receiver.respond(204, (response) => response.destroy());
  await start();
  await ours.post('/v1/companies', company);
  await until('the first is delivered', allDelivered);
  await rename('B');

  await passUntil('the second is delivered', (rows) => rows.length === 2 && allDelivered(rows));
});

test('sends to other endpoints while one hangs', async () => {
  const { ours, provider, receiver, start, until } = await openWithSender();
  const other = await startReceiver();
  await addWebhookEndpoint(provider, ours.organization, { url: other.url });
  receiver.respond(() => undefined);
  await start();
  await ours.post('/v1/companies', company);

  await until('the other has it', (rows) => rows[1]?.status === 'delivered');
  expect(other.received).toHaveLength(1);
});

test('keeps the order per record with several lanes, and blocks only the lane of a failure', async () => {
  const { ours, receiver, start, clock, until, receivedNames } = await openWithSender({ lanes: 8 });
  for (const [index, tax_id] of cnpjs.entries())
    await ours.post('/v1/companies', { name: `C${String(index + 1)}`, tax_id });
  for (const round of [1, 2])
    for (const id of [1, 2, 3, 4])
      await ours.put(`/v1/companies/${String(id)}`, { name: `C${String(id)}.${String(round)}` });
  receiver.respond(500);
  await start();
  await until('all lanes but one are through', (rows) => {
    const waiting = rows.filter(({ status }) => status === 'pending');
    return (
      waiting.some(({ attempts }) => attempts === 1) && new Set(waiting.map(({ lane }) => lane)).size === 1
    );
  });
  clock.advance(60_000);
  await until('all are delivered', allDelivered);

  const names = receivedNames();
  expect(names).toHaveLength(13);
  for (const id of [1, 2, 3, 4]) {
    const own = names.filter((name, at) => name.startsWith(`C${String(id)}`) && names.indexOf(name) === at);
    expect(own).toEqual([`C${String(id)}`, `C${String(id)}.1`, `C${String(id)}.2`]);
  }
});

test('sixteen lanes share no signal that Node would report as a leak of listeners', async () => {
  const signals = new Set<EventTarget>();
  const { addEventListener } = EventTarget.prototype;
  vi.spyOn(EventTarget.prototype, 'addEventListener').mockImplementation(function (
    this: EventTarget,
    ...listener
  ) {
    signals.add(this);
    addEventListener.apply(this, listener);
  });
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const { ours, start, until } = await openWithSender({ lanes: 16 });
  await start();
  await ours.post('/v1/companies', company);
  await until('it is delivered', allDelivered);

  expect(signals.size).toBeGreaterThan(0);
  for (const signal of signals)
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(defaultMaxListeners);
});

test('repeats an attempt that was in flight at the stop, as the same attempt', async () => {
  const { ours, receiver, start, clock, until, deliveries } = await openWithSender();
  receiver.respond(() => undefined);
  const sender = await start();
  await ours.post('/v1/companies', company);
  await eventually('it arrived', () => receiver.received.length === 1);
  const stopped = sender.stop();
  clock.advance(2_000);
  await stopped;
  expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }]);

  await start();
  await until('it is delivered', allDelivered);
  expect(receiver.received).toHaveLength(2);
  expect((await deliveries())[0]).toMatchObject({ attempts: 1 });
});

test('finds endpoints and webhooks that another process added', async () => {
  const { provider, ours, start, clock, until, receiver } = await openWithSender();
  await provider.query.deleteFrom('webhook_endpoints').execute();
  await start();
  await addWebhookEndpoint(provider, ours.organization, { url: receiver.url });
  await ours.post('/v1/companies', company);
  expect(receiver.received).toHaveLength(0);
  clock.advance(250);

  await until('it is delivered', allDelivered);
});

test('replaces the secret of a registered endpoint, and keeps its lanes', async () => {
  const { provider, ours, receiver, start, clock, until } = await openWithSender();
  const url = `${receiver.url}/hook`;
  await start();
  await addWebhookEndpoint(provider, ours.organization, { url, secret });
  clock.advance(250);
  await ours.post('/v1/companies', company);
  await until('it is delivered', allDelivered);

  expect(receiver.received).toHaveLength(1);
  await expect(addWebhookEndpoint(provider, ours.organization, { url, lanes: 4 })).rejects.toThrow('1 lanes');
});
