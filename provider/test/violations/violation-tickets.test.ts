import { expect, test } from 'vitest';
import { NOW } from '../kit/test-provider.ts';
import { textOfPdf } from '../kit/text-of-pdf.ts';
import { speeding } from '../kit/violation-setup.ts';
import { openWithTickets } from './violation-ticket-setup.ts';

test('requests a slip, emits its record, and shows it in three endpoints', async () => {
  const { ours, tickets, ticketEvents } = await openWithTickets();

  const { status, data } = await ours.post(tickets, { discount: 'partial' });

  expect([status, data]).toEqual([201, { id: 1, status: 'pending' }]);
  const [created] = await ticketEvents();
  expect(created?.type).toBe('traffic-violation.ticket.created');
  expect(created?.data).toEqual({
    id: 1,
    status: 'pending',
    discount: 'partial',
    amount: null,
    barcode: null,
    due_date: '2026-05-11',
    payment_method: null,
    pix: null,
    created_at: NOW,
    updated_at: NOW,
    traffic_violation: { id: 1, ait: speeding.ait, code: speeding.code, description: speeding.description },
  });
  const below = await ours.get(tickets);
  expect(Object.keys(below.body)).toEqual(['data']);
  expect((await ours.get('/v1/traffic-violations/tickets/1')).data).toEqual(created?.data);
  expect((await ours.get('/v1/traffic-violations/tickets/')).rows).toEqual([created?.data]);
});

test.each([
  ['no body at all', undefined],
  ['an empty object', {}],
])('%s requests no discount', async (_, body) => {
  const { ours, tickets, ticketEvents } = await openWithTickets();

  expect((await ours.post(tickets, body)).status).toBe(201);

  expect((await ticketEvents())[0]?.data).toMatchObject({ discount: 'none' });
});

test.each([[{ discount: 'none' }], [{ discount: 'half' }], [{ discount: null }], [[]]])(
  'rejects %j',
  async (body) => {
    const { ours, tickets } = await openWithTickets();

    expect(await ours.post(tickets, body)).toMatchObject({ status: 400, body: { error: 'Bad Request' } });
  },
);

test.each([
  ['full', '2026-04-08T02:59:59Z', {}, 'full', '2026-04-07'],
  ['full', '2026-04-08T03:00:00Z', {}, 'none', '2026-05-11'],
  ['full', '2026-04-01T12:00:00Z', { due_date: '2026-04-02' }, 'full', '2026-04-02'],
  ['partial', '2026-05-12T02:59:59Z', {}, 'partial', '2026-05-11'],
  ['partial', '2026-05-12T03:00:00Z', {}, 'none', '2026-05-17'],
] as const)('discount %s at %s with %j is %s, due on %s', async (discount, at, values, expected, due) => {
  const { ours, clock, tickets, ticketEvents } = await openWithTickets(values);
  clock.jump(Date.parse(at) - clock.now());

  expect((await ours.post(tickets, { discount })).status).toBe(201);

  expect((await ticketEvents())[0]?.data).toMatchObject({ discount: expected, due_date: due });
});

test('rejects a second active slip', async () => {
  const { ours, clock, tickets, move, issue } = await openWithTickets();
  const refused = {
    status: 409,
    body: { error: 'Conflict', message: 'Traffic violation with id 1 has a ticket already' },
  };
  await ours.post(tickets);

  expect(await ours.post(tickets)).toMatchObject(refused);
  await move(1, 'requested');
  expect(await ours.post(tickets)).toMatchObject(refused);
  await move(1, 'rejected');
  await ours.post(tickets);
  await move(2, 'failed');
  await ours.post(tickets);
  await issue(3);
  expect(await ours.post(tickets)).toMatchObject(refused);
  // The last day in Brazil, then the day after.
  clock.jump(Date.parse('2026-05-12T02:59:59Z') - clock.now());
  expect(await ours.post(tickets)).toMatchObject(refused);
  clock.advance(1_000);
  expect(await ours.post(tickets)).toMatchObject({ status: 201, body: { data: { id: 4 } } });
});

test('the file of a slip is available once it is issued', async () => {
  const { ours, app, tickets, issue } = await openWithTickets();
  await ours.post(tickets, { discount: 'full' });
  const file = '/v1/traffic-violations/tickets/1/file';

  expect(await ours.get(file)).toMatchObject({ status: 404, body: { error: 'Not Available' } });
  const { barcode } = await issue(1);
  const { status, body } = await ours.get(file);
  expect(status).toBe(200);
  const response = await app.request(String(body['data']).replace('http://provider.example', ''));
  const text = textOfPdf(new Uint8Array(await response.arrayBuffer()));
  for (const line of [
    'Valor: R$ 78,10',
    'Desconto: 40%',
    'Vencimento: 07/04/2026',
    `Linha digitável: ${String(barcode)}`,
  ])
    expect(text).toContain(line);
});

test("while the user's link is inactive, slips are not shown or emitted", async () => {
  const { ours, add, tickets, issue, ticketEvents } = await openWithTickets();
  await ours.post(tickets);
  await add({ user_id: null });
  await ours.post('/v1/traffic-violations/2/tickets');
  await ours.post('/v1/users/1/deactivate');

  for (const [method, path] of [
    ['GET', tickets],
    ['POST', tickets],
    ['GET', '/v1/traffic-violations/tickets/1'],
    ['GET', '/v1/traffic-violations/tickets/1/file'],
  ] as const)
    expect(await ours.request(method, path), path).toMatchObject({
      status: 403,
      body: { error: 'Forbidden' },
    });
  const list = async () => (await ours.get('/v1/traffic-violations/tickets')).rows.map(({ id }) => id);
  expect(await list()).toEqual([2]);
  await issue(1);
  expect(await ticketEvents()).toHaveLength(2);
  await ours.post('/v1/users/1/activate');
  expect(await list()).toEqual([1, 2]);
});
