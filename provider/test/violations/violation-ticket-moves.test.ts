import { expect, test } from 'vitest';
import { barcodeFits, pixFits } from '../../../test/support/webhooks/payment-codes.ts';
import { changeTrafficViolation } from '../../traffic-violations/change-traffic-violation.ts';
import { openWithTickets } from './violation-ticket-setup.ts';

test.each([
  ['full', 78.1],
  ['partial', 104.13],
  [undefined, 130.16],
] as const)('a slip with discount %s is issued for %d reais', async (discount, amount) => {
  const { ours, tickets, issue, ticketEvents } = await openWithTickets();
  await ours.post(tickets, { discount });

  await issue(1);

  const { data } = (await ticketEvents()).at(-1) ?? {};
  expect(data).toMatchObject({ status: 'issued', amount, payment_method: 'bank_slip', pix: null });
  expect(barcodeFits(String(data?.['barcode']))).toBe(true);
  expect(String(data?.['barcode']).slice(-10)).toBe(String(Math.round(amount * 100)).padStart(10, '0'));
});

test('an overdue violation is paid with its interest', async () => {
  const { ours, provider, id, tickets, issue } = await openWithTickets({ status: 'overdue' });
  await provider.change(ours.organization, (change) =>
    changeTrafficViolation(change, id, {
      due_date: '2026-03-01',
      interest_amount: 1.3,
      updated_amount: 131.46,
    }),
  );
  await ours.post(tickets, { discount: 'partial' });

  expect(await issue(1)).toMatchObject({ discount: 'none', amount: 131.46, due_date: '2026-03-15' });
});

test('a slip paid by PIX has a code and no barcode', async () => {
  const { ours, tickets, move, issue, ticketEvents, clock } = await openWithTickets();
  await ours.post(tickets);
  await move(1, 'requested');
  clock.advance(1_000);

  await issue(1, 'pix');

  const events = await ticketEvents();
  expect(events.map(({ type, data }) => [type, data['status']])).toEqual([
    ['traffic-violation.ticket.created', 'pending'],
    ['traffic-violation.ticket.updated', 'requested'],
    ['traffic-violation.ticket.updated', 'issued'],
  ]);
  const { data } = events.at(-1) ?? {};
  expect(data).toMatchObject({
    payment_method: 'pix',
    barcode: null,
    updated_at: '2026-03-10T12:00:01.000Z',
  });
  expect(pixFits(String(data?.['pix']))).toBe(true);
  expect(data?.['pix']).toContain('5406130.16');
  expect(data?.['pix']).toContain('PREFEITURA DE SAO PAULO');
});

test.each(['issued', 'rejected', 'failed'] as const)('a slip that is %s is final', async (end) => {
  const { ours, tickets, move, issue, ticketEvents } = await openWithTickets();
  await ours.post(tickets);
  await (end === 'issued' ? issue(1) : move(1, end));

  for (const attempt of [move(1, 'requested'), move(1, 'failed'), issue(1)])
    await expect(attempt).rejects.toMatchObject({ status: 409 });
  await expect(move(77, 'failed')).rejects.toMatchObject({ status: 404 });
  expect(await ticketEvents()).toHaveLength(2);
});
