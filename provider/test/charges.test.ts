import { expect, test } from 'vitest';
import { addCharge, changeCharge, type NewCharge } from '../charges/change-charge.ts';
import { company } from './kit/people.ts';
import { NOW, openTestProvider, type Client, type Json } from './kit/test-provider.ts';

const fee = {
  external_uid: 'DETRAN-PR-2026-88013',
  code: 'LIC-2026',
  key: '2026.0088013-4',
  description: 'Taxa de licenciamento anual',
  date: '2026-02-01',
  due_date: '2026-03-31',
  agency: 'detran',
  type: 'fee',
  status: 'pending',
  amount: 92.41,
} as const;

async function openWithCharge(values: Partial<NewCharge> = {}) {
  const setup = await openTestProvider();
  const { ours, provider } = setup;
  await ours.post('/v1/companies', { ...company, external_uid: 'matriz' });
  const add = (more: Partial<NewCharge> = {}) =>
    provider.change(ours.organization, (change) => addCharge(change, { ...fee, company_id: 1, ...more }));
  const { id } = await add(values);
  return { ...setup, add, id, slips: `/v1/charges/${String(id)}/payment-slips` };
}

const events = async (client: Client) =>
  (await client.webhooks()).filter(({ type }) => type.startsWith('charge.'));

test('shows a charge without the CNPJ that its webhooks carry', async () => {
  const { ours, id } = await openWithCharge();

  const { status, data } = await ours.get(`/v1/charges/${String(id)}`);

  expect(status).toBe(200);
  expect(data).toMatchObject({ ...fee, company: { id: 1, external_uid: 'matriz', name: company.name } });
  const [created] = await events(ours);
  expect(created).toEqual({
    type: 'charge.created',
    data: { ...data, company: { ...(data['company'] as Json), tax_id: company.tax_id } },
  });
});

test('a change of a charge emits a webhook', async () => {
  const { ours, provider, id } = await openWithCharge();

  await provider.change(ours.organization, (change) => changeCharge(change, id, { status: 'paid' }));

  expect((await events(ours)).at(-1)).toMatchObject({ type: 'charge.updated', data: { id, status: 'paid' } });
});

test('requests a slip, emits its record, and shows it in both lists', async () => {
  const { ours, slips } = await openWithCharge();

  const { status, data } = await ours.post(slips);

  expect([status, data]).toEqual([201, { id: 1, status: 'pending', due_date: '2026-03-31' }]);
  const below = await ours.get(slips);
  expect(Object.keys(below.body)).toEqual(['data']);
  expect(below.rows).toMatchObject([{ status: 'pending', amount: null, barcode: null, created_at: NOW }]);

  const [slip = {}] = (await ours.get('/v1/charges/payment-slips')).rows;
  const charge = slip['charge'] as Json;
  const withTaxId = { ...(charge['company'] as Json), tax_id: company.tax_id };
  expect(charge['company']).not.toHaveProperty('tax_id');
  expect((await events(ours)).at(-1)).toEqual({
    type: 'charge.payment-slip.created',
    data: { ...slip, charge: { ...charge, company: withTaxId } },
  });
});

test.each(['pending', 'overdue'] as const)('allows a slip for a charge with status %s', async (status) => {
  const { ours, slips } = await openWithCharge({ status });

  expect((await ours.post(slips)).status).toBe(201);
});
