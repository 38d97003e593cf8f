import { expect, test } from 'vitest';
import { anttViolationStatuses, anttViolationTypes } from '../../../src/contract/record/antt-violation.ts';
import {
  addAnttViolation,
  changeAnttViolation,
  type NewAnttViolation,
} from '../../antt-violations/change-antt-violation.ts';
import { company } from '../kit/people.ts';
import { fieldsOf } from '../kit/specification.ts';
import { NOW, openTestProvider, type Json } from '../kit/test-provider.ts';

const fields = (value: unknown) => Object.keys(value as Json).sort();

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
  expect(fields(data)).toEqual(fieldsOf('ANTT violation'));
  expect(fields(data['company'])).toEqual(fieldsOf('company of an ANTT violation'));
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

test('rejects changes to a violation of another organization', async () => {
  const { ours, theirs, provider } = await openWithViolation();

  await expect(
    provider.change(theirs.organization, (change) => changeAnttViolation(change, 1, { status: 'paid' })),
  ).rejects.toThrow('ANTT violation with id 1 not found');
  expect((await ours.get('/v1/antt/violations/1')).data['status']).toBe(overweight.status);
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

test.each([
  ['GET', '/v1/antt/violations/77'],
  ['GET', '/v1/antt/violations/77/tickets'],
  ['POST', '/v1/antt/violations/77/tickets'],
])('%s %s responds 404', async (method, path) => {
  const { ours } = await openTestProvider();

  expect(await ours.request(method, path)).toMatchObject({
    status: 404,
    body: { error: 'Not Found', message: 'ANTT violation with id 77 not found' },
  });
});

test('filters the list of violations', async () => {
  const { ours, add } = await openWithViolation();
  await ours.post('/v1/companies', { name: 'Filial', tax_id: '12ABC34501DE35', external_uid: 'filial' });
  await add({ company_id: 2, type: 'rntrc', status: 'paid', date: '2026-02-01', due_date: '2026-05-31' });
  await add({ company_id: null, license_plate: 'ABC1D23', penalty_notice_date: null });
  const found = async (filter: string) => {
    const { status, rows, body } = await ours.get(`/v1/antt/violations/?${filter}`);
    expect(status).toBe(200);
    expect(body['total']).toBe(rows.length);
    return rows.map(({ id }) => id);
  };

  expect(await found('')).toEqual([1, 2, 3]);
  expect(await found('filters[date][$eq]=2026-02-01')).toEqual([2]);
  expect(await found('filters[date][$ne]=2026-02-01')).toEqual([1, 3]);
  expect(await found('filters[date][$lt]=2026-02-01')).toEqual([1, 3]);
  expect(await found('filters[due_date][$gt]=2026-04-30')).toEqual([2]);
  expect(await found('filters[due_date][$gte]=2026-04-30&filters[due_date][$lte]=2026-04-30')).toEqual([
    1, 3,
  ]);
  expect(await found('filters[penalty_notice_date][$eq]=2026-03-02')).toEqual([1, 2]);
  expect(await found('filters[penalty_notice_date][$ne]=2026-03-02')).toEqual([3]);
  expect(await found('filters[status][$eq]=paid')).toEqual([2]);
  expect(await found('filters[status][$ne]=paid')).toEqual([1, 3]);
  expect(await found('filters[type][$eq]=excess_weight')).toEqual([1, 3]);
  expect(await found('filters[license_plate][$eq]=ABC1D23')).toEqual([3]);
  expect(await found('filters[license_plate][$ne]=ABC1D23')).toEqual([1, 2]);
  expect(await found('filters[company][id][$eq]=2')).toEqual([2]);
  expect(await found('filters[company][id][$ne]=2')).toEqual([1, 3]);
  expect(await found('filters[company][external_uid][$eq]=matriz')).toEqual([1]);
  expect(await found('filters[company][external_uid][$ne]=matriz')).toEqual([2, 3]);
  expect(await found(`filters[company][tax_id][$eq]=${company.tax_id}`)).toEqual([1]);
  expect(await found(`filters[company][tax_id][$ne]=${company.tax_id}&filters[status][$eq]=paid`)).toEqual([
    2,
  ]);
});

test.each([
  ...anttViolationStatuses.map((value) => ['status', value]),
  ...anttViolationTypes.map((value) => ['type', value]),
])('filters violations by %s %s', async (field, value) => {
  const { ours, add } = await openWithViolation();
  await add({ [field]: value });

  const { rows } = await ours.get(`/v1/antt/violations?filters[${field}][$eq]=${value}`);

  expect(rows.at(-1)).toMatchObject({ id: 2, [field]: value });
});

test.each(['filters[status][$eq]=unknown', 'filters[type][$ne]=rest', 'filters[license_plate][$contains]=A'])(
  'rejects %s',
  async (filter) => {
    const { ours } = await openTestProvider();

    expect(await ours.get(`/v1/antt/violations?${filter}`)).toMatchObject({ status: 400 });
  },
);
