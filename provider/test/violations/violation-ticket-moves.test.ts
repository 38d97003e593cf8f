import { expect, test } from 'vitest';
import { barcodeFits } from '../../../test/support/webhooks/payment-codes.ts';
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
