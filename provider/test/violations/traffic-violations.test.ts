import { expect, test } from 'vitest';
import { addAgency, moveTrafficViolation } from '../../traffic-violations/change-traffic-violation.ts';
import { company } from '../kit/people.ts';
import { TODAY, type Json } from '../kit/test-provider.ts';
import { agency, openWithViolation, speeding } from '../kit/violation-setup.ts';

test('shows a violation without the CNPJ that its webhooks carry', async () => {
  const { ours, path, recorded } = await openWithViolation();

  const { status, data } = await ours.get(path);

  expect(status).toBe(200);
  const { legal_basis, severity, multiplier, points, ...plain } = speeding;
  expect(data).toMatchObject({
    ...plain,
    payable: true,
    renainf: true,
    written_warning: false,
    reference: { legal_basis, severity, multiplier, points },
    user: { id: 1, external_uid: 'motorista-1' },
    company: { id: 1, name: company.name, external_uid: 'matriz' },
    agency: { ...agency, sne_indications: true, sne_tickets: true },
    indication_availability: true,
    ticket_discount_availability: { full: true, partial: true, full_unavailable_reason: null },
  });
  expect(await recorded()).toEqual([
    {
      type: 'traffic-violation.created',
      data: { ...data, company: { ...(data['company'] as Json), tax_id: company.tax_id } },
    },
  ]);
});

test('a violation may have no company, user or agency', async () => {
  const { ours, path } = await openWithViolation({ company_id: null, user_id: null, agency_code: null });

  expect((await ours.get(path)).data).toMatchObject({ company: null, user: null, agency: null });
});

test('a change of an agency applies to all its violations', async () => {
  const { ours, provider, path } = await openWithViolation();

  await provider.change(ours.organization, (change) =>
    addAgency(change, { ...agency, name: 'DSV São Paulo', sne_tickets: 0 }),
  );

  expect((await ours.get(path)).data['agency']).toMatchObject({ name: 'DSV São Paulo', sne_tickets: false });
});

test.each([
  ['the day before the deadline', '2026-04-05T12:00:00Z', 'citation', true],
  ['the last minute of the deadline in Brazil', '2026-04-07T02:59:59Z', 'pending', true],
  ['the day after', '2026-04-07T03:00:00Z', 'citation', false],
  ['an overdue violation', '2026-04-05T12:00:00Z', 'overdue', false],
] as const)('indications at %s', async (_, at, status, expected) => {
  const { ours, clock, path } = await openWithViolation({ status });
  clock.jump(Date.parse(at) - clock.now());

  expect((await ours.get(path)).data['indication_availability']).toBe(expected);
  for (const given of [true, false]) {
    const { rows } = await ours.get(
      `/v1/traffic-violations?filters[indication_availability][$eq]=${String(given)}`,
    );
    expect(rows).toHaveLength(given === expected ? 1 : 0);
  }
});

const [NO_DEFENSE, OVERDUE] = ['Prazo de defesa prévia encerrado', 'Prazo de vencimento encerrado'];
const [NOT_PAYABLE, NO_DUE_DATE] = [
  'Infração não disponível para pagamento',
  'Infração sem data de vencimento',
];

test.each([
  ['while the prior defense is open', '2026-04-08T02:59:59Z', {}, null, null],
  ['after the prior defense', '2026-04-08T03:00:00Z', {}, NO_DEFENSE, null],
  ['on the last day of May 11 in Brazil', '2026-05-12T02:59:59Z', {}, NO_DEFENSE, null],
  ['after the due date', '2026-05-12T03:00:00Z', {}, OVERDUE, OVERDUE],
  ['if it is not payable', '2026-03-10T12:00:00Z', { payable: 0 as const }, NOT_PAYABLE, NOT_PAYABLE],
  ['without a due date', '2026-03-10T12:00:00Z', { due_date: null }, NO_DUE_DATE, NO_DUE_DATE],
  ['without prior defense', '2026-03-10T12:00:00Z', { preliminary_appeal_deadline: null }, NO_DEFENSE, null],
])('discounts %s', async (_, at, values, full, partial) => {
  const { ours, clock, path } = await openWithViolation(values);
  clock.jump(Date.parse(at) - clock.now());

  expect((await ours.get(path)).data['ticket_discount_availability']).toEqual({
    full: full === null,
    partial: partial === null,
    full_unavailable_reason: full,
    partial_unavailable_reason: partial,
  });
});

test('a violation moves from citation to payment, with a webhook for each change', async () => {
  const { ours, provider, id, recorded } = await openWithViolation({ payable: 0 });
  const move = (status: 'pending' | 'overdue' | 'paid' | 'canceled') =>
    provider.change(ours.organization, (change) => moveTrafficViolation(change, id, status));

  await move('pending');
  await move('overdue');
  await move('paid');
  await expect(move('canceled')).rejects.toMatchObject({ status: 409 });

  const moves = (await recorded()).map(({ type, data }) => [type, data['status'], data['payable']]);
  expect(moves).toEqual([
    ['traffic-violation.created', 'citation', false],
    ['traffic-violation.updated', 'pending', true],
    ['traffic-violation.updated', 'overdue', true],
    ['traffic-violation.updated', 'paid', false],
  ]);
  expect((await recorded()).at(-1)?.data).toMatchObject({ penalty_notice_date: TODAY, payment_date: TODAY });
});

test.each([
  ['warning', { payable: false, written_warning: true }],
  ['suspended', { payable: false, written_warning: false }],
] as const)('a citation that becomes a %s is not payable', async (status, expected) => {
  const { ours, provider, id, path } = await openWithViolation();

  await provider.change(ours.organization, (change) => moveTrafficViolation(change, id, status));

  expect((await ours.get(path)).data).toMatchObject({ status, ...expected });
});

test('removing a user removes its violations', async () => {
  const { ours, path } = await openWithViolation();

  await ours.remove('/v1/users/1');

  expect((await ours.get(path)).status).toBe(404);
});
