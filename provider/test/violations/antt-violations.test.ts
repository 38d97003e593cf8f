import { expect, test } from 'vitest';
import {
  addAnttViolation,
  changeAnttViolation,
  type NewAnttViolation,
} from '../../antt-violations/change-antt-violation.ts';
import { company } from '../kit/people.ts';
import { NOW, openTestProvider, type Json } from '../kit/test-provider.ts';

const overweight = {
  external_uid: 'ANTT-2026-4410',
  code: '5.867',
  key: '50505.012345/2026-11',
  description: 'Excesso de peso bruto total',
  location: 'BR-277, km 98, Balsa Nova, PR',
  license_plate: 'RHK2C45',
  date: '2026-01-12',
  due_date: '2026-04-30',
  penalty_notice_date: '2026-03-02',
  type: 'excess_weight',
  status: 'penalty_notice_issued',
  amount: 550,
} as const;

async function openWithViolation() {
  const setup = await openTestProvider();
  const { ours, provider } = setup;
  await ours.post('/v1/companies', { ...company, external_uid: 'matriz' });
  const add = (more: Partial<NewAnttViolation> = {}) =>
    provider.change(ours.organization, (change) =>
      addAnttViolation(change, { ...overweight, company_id: 1, ...more }),
    );
  await add();
  const events = async () => (await ours.webhooks()).filter(({ type }) => type.startsWith('antt-violation.'));
  return { ...setup, add, events };
}

test('shows a violation without the CNPJ that its webhooks carry', async () => {
  const { ours, events } = await openWithViolation();

  const { status, data } = await ours.get('/v1/antt/violations/1');

  expect(status).toBe(200);
  expect(data).toEqual({
    id: 1,
    ...overweight,
    synced_at: NOW,
    company: { id: 1, external_uid: 'matriz', name: company.name },
  });
  expect(await events()).toEqual([
    {
      type: 'antt-violation.created',
      data: { ...data, company: { ...(data['company'] as Json), tax_id: company.tax_id } },
    },
  ]);
});

test('a change emits a webhook and updates synced_at', async () => {
  const { ours, provider, clock, events } = await openWithViolation();
  clock.advance(1000);

  await provider.change(ours.organization, (change) =>
    changeAnttViolation(change, 1, { status: 'jari_appeal' }),
  );

  expect((await events()).at(-1)).toMatchObject({
    type: 'antt-violation.updated',
    data: {
      id: 1,
      status: 'jari_appeal',
      synced_at: '2026-03-10T12:00:01.000Z',
      company: { tax_id: company.tax_id },
    },
  });
});

test('a violation can exist before its company is known', async () => {
  const { ours, add } = await openWithViolation();
  await add({ company_id: null });

  expect((await ours.get('/v1/antt/violations/2')).data).toMatchObject({ id: 2, company: null });
  expect((await ours.get('/v1/antt/violations')).rows.map((row) => row['company'] === null)).toEqual([
    false,
    true,
  ]);
});
