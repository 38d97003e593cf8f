import { expect, test } from 'vitest';
import {
  moveAnttTicket,
  addAnttViolation,
  type AnttTicketTransition,
  type NewAnttViolation,
} from '../../antt-violations/change-antt-violation.ts';
import { company } from '../kit/people.ts';
import { NOW, openTestProvider } from '../kit/test-provider.ts';

const tickets = '/v1/antt/violations/1/tickets';

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

test.each(['paid', 'active_debt', 'citation'] as const)(
  'allows a slip for a violation with status %s: only a company is required',
  async (status) => {
    const { ours } = await openWithViolation({ status });

    expect((await ours.post(tickets)).status).toBe(201);
  },
);
