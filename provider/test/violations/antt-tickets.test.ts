import { expect, test } from 'vitest';
import { moveAnttTicket, type AnttTicketTransition } from '../../antt-violations/change-antt-ticket.ts';
import { addAnttViolation, type NewAnttViolation } from '../../antt-violations/change-antt-violation.ts';
import { company } from '../kit/people.ts';
import { NOW, openTestProvider } from '../kit/test-provider.ts';

const tickets = '/v1/antt/violations/1/tickets';

const bankSlip = {
  status: 'issued',
  amount: 385,
  payment_method: 'bank_slip',
  barcode: '00190000090281448700000000000170611220000038500',
} as const;

async function openWithViolation(values: Partial<NewAnttViolation> = {}) {
  const setup = await openTestProvider();
  const { ours, provider } = setup;
  await ours.post('/v1/companies', { ...company, external_uid: 'matriz' });
  const add = (more: Partial<NewAnttViolation>) =>
    provider.change(ours.organization, (change) =>
      addAnttViolation(change, {
        company_id: 1,
        external_uid: 'ANTT-1',
        code: '5.867',
        description: 'Excesso de peso',
        type: 'excess_weight',
        status: 'pending',
        due_date: '2026-04-30',
        ...more,
      }),
    );
  await add(values);
  const move = (id: number, to: AnttTicketTransition) =>
    provider.change(ours.organization, (change) => moveAnttTicket(change, id, to));
  const events = async () =>
    (await ours.webhooks()).filter(({ type }) => type.startsWith('antt-violation.ticket.'));
  return { ...setup, add, move, events };
}

test('requests a slip, emits its record, and shows it in three endpoints', async () => {
  const { ours, events } = await openWithViolation();

  const { status, data } = await ours.post(tickets);

  expect(status).toBe(201);
  const expected = {
    id: 1,
    status: 'pending',
    amount: null,
    barcode: null,
    payment_method: null,
    pix: null,
    due_date: '2026-04-30',
  };
  expect(data).toEqual(expected);

  const detail = await ours.get('/v1/antt/violations/tickets/1');
  expect(detail.data).toEqual({
    ...expected,
    status_reason: null,
    synced_at: null,
    created_at: NOW,
    updated_at: NOW,
    antt_violation: {
      id: 1,
      external_uid: 'ANTT-1',
      code: '5.867',
      description: 'Excesso de peso',
      due_date: '2026-04-30',
    },
  });
  expect(await events()).toEqual([{ type: 'antt-violation.ticket.created', data: detail.data }]);

  const below = await ours.get(tickets);
  expect(Object.keys(below.body)).toEqual(['data']);
  expect((await ours.get('/v1/antt/violations/tickets')).rows).toEqual([detail.data]);
});

test('rejects a slip for a violation without a company', async () => {
  const { ours } = await openWithViolation({ company_id: null });

  expect(await ours.post(tickets)).toMatchObject({
    status: 422,
    body: { error: 'Unprocessable Entity', message: 'ANTT violation with id 1 has no company' },
  });
  expect((await ours.get(tickets)).rows).toEqual([]);
});

test.each(['paid', 'active_debt', 'citation'] as const)(
  'allows a slip for a violation with status %s: only a company is required',
  async (status) => {
    const { ours } = await openWithViolation({ status });

    expect((await ours.post(tickets)).status).toBe(201);
  },
);

test.each([
  ['2026-03-10', '2026-03-10'],
  ['2026-03-09', '2026-03-15'],
  [null, '2026-03-15'],
])('a violation due on %s has a slip due on %s', async (due_date, expected) => {
  const { ours } = await openWithViolation({ due_date });

  expect((await ours.post(tickets)).data['due_date']).toBe(expected);
});

test.each([
  { status: 'rejected', status_reason: 'Auto em recurso' },
  { status: 'failed', status_reason: 'Sistema da agência indisponível' },
] as const)('rejects a second slip until the first is $status', async (end) => {
  const { ours, move, events } = await openWithViolation();
  await ours.post(tickets);

  expect(await ours.post(tickets)).toMatchObject({
    status: 409,
    body: { error: 'Conflict', message: 'ANTT violation with id 1 has an active ticket already' },
  });
  await move(1, { status: 'requested' });
  expect((await ours.post(tickets)).status).toBe(409);
  await move(1, end);
  expect((await ours.post(tickets)).data['id']).toBe(2);

  const { rows } = await ours.get(tickets);
  expect(rows).toMatchObject([
    { id: 1, ...end, amount: null },
    { id: 2, status: 'pending', status_reason: null },
  ]);
  expect((await events()).map(({ type, data }) => [type, data['status']])).toEqual([
    ['antt-violation.ticket.created', 'pending'],
    ['antt-violation.ticket.updated', 'requested'],
    ['antt-violation.ticket.updated', end.status],
    ['antt-violation.ticket.created', 'pending'],
  ]);
});

test('an issued slip has its means of payment, blocks another slip, and is final', async () => {
  const { ours, move, events, clock } = await openWithViolation();
  await ours.post(tickets);
  clock.advance(60_000);

  await move(1, bankSlip);

  const { data } = await ours.get('/v1/antt/violations/tickets/1');
  expect(data).toMatchObject({
    ...bankSlip,
    pix: null,
    created_at: NOW,
    updated_at: '2026-03-10T12:01:00.000Z',
    synced_at: '2026-03-10T12:01:00.000Z',
  });
  expect((await events()).at(-1)).toEqual({ type: 'antt-violation.ticket.updated', data });
  expect((await ours.post(tickets)).status).toBe(409);
  await expect(move(1, { status: 'failed', status_reason: 'x' })).rejects.toThrow(
    'issued cannot become failed',
  );
  expect((await ours.get('/v1/antt/violations/tickets/1')).data).toEqual(data);
});

test('a slip paid by PIX has its code and the due date set by the agency', async () => {
  const { ours, move } = await openWithViolation();
  await ours.post(tickets);

  await move(1, {
    status: 'issued',
    amount: 385,
    payment_method: 'pix',
    pix: '0002…',
    due_date: '2026-03-20',
  });

  expect((await ours.get(tickets)).rows).toMatchObject([
    { payment_method: 'pix', pix: '0002…', barcode: null, due_date: '2026-03-20' },
  ]);
});

test('responds 404 for unknown slips and those of another organization', async () => {
  const { ours, theirs, provider } = await openWithViolation();
  await ours.post(tickets);

  expect(await ours.get('/v1/antt/violations/tickets/77')).toMatchObject({
    status: 404,
    body: { error: 'Not Found', message: 'Ticket with id 77 not found' },
  });
  await expect(
    provider.change(theirs.organization, (change) => moveAnttTicket(change, 1, { status: 'requested' })),
  ).rejects.toThrow('Ticket with id 1 not found');
});
