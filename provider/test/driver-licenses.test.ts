import { expect, test } from 'vitest';
import { licenseStatuses } from '../../src/contract/record/driver-license.ts';
import { registerLicense, type RegistryLicense } from '../driver-licenses/change-driver-license.ts';
import { storeUserDriverLicense } from '../users/change-user.ts';
import { cpfs, license, user } from './kit/people.ts';
import { NOW, openTestProvider } from './kit/test-provider.ts';

const inRegistry = {
  tax_id: cpfs[0],
  license: '01234567890',
  name: 'Beatriz Nogueira',
  points: 7,
  status: 'Válida',
  issue_date: '2022-05-02',
  expiration_date: '2032-05-02',
} as const;

/** The licence as responses carry it. */
const record = {
  ...inRegistry,
  issue_date: '2022-05-02T00:00:00.000Z',
  expiration_date: '2032-05-02T00:00:00.000Z',
};

async function openWithLicense() {
  const setup = await openTestProvider();
  const { ours, provider } = setup;
  const register = (values: Partial<RegistryLicense> = {}) =>
    provider.change(ours.organization, (change) => registerLicense(change, { ...inRegistry, ...values }));
  await register();
  const create = (tax_id: unknown = cpfs[0]) => ours.post('/v1/drivers', { tax_id });
  return { ...setup, register, create };
}

test('adds a driver from a CPF and its licence', async () => {
  const { create } = await openWithLicense();

  const { status, body, data } = await create();

  expect([status, Object.keys(body)]).toEqual([201, ['data']]);
  const { points: _, status: __, ...driver } = record;
  expect(data).toEqual({ id: 1, ...driver, created_at: NOW });
});

test('shows the licence with points and status, and lists it with the time of creation', async () => {
  const { ours, create } = await openWithLicense();
  expect((await ours.get('/v1/driver-licenses')).body).toMatchObject({ data: [], total: 0 });
  await create();

  const { status, data } = await ours.get('/v1/driver-licenses/1');
  expect([status, data]).toEqual([200, { id: 1, ...record }]);

  const list = await ours.get('/v1/driver-licenses/');
  expect(list.body).toEqual({
    data: [{ ...data, created_at: NOW }],
    pagination: { page: 1, size: 25 },
    total: 1,
  });
});

test.each([
  ['wrong check digits', '52998224724'],
  ['punctuation', '529.982.247-25'],
  ['too few digits', '5299822472'],
  ['a CNPJ', '11222333000181'],
  ['one repeated digit', '11111111111'],
])('rejects a CPF with %s, in Portuguese', async (_, taxId) => {
  const { create } = await openWithLicense();

  expect(await create(taxId)).toMatchObject({
    status: 400,
    body: { error: 'CPF inválido', message: 'O CPF informado não é válido' },
  });
});

test.each([
  ['nothing', {}, 'tax_id: is required: expected a non-empty string'],
  ['a number', { tax_id: 52998224725 }, 'tax_id: expected a non-empty string, received a number'],
])('rejects %s as a CPF', async (_, body, message) => {
  const { ours } = await openWithLicense();

  expect(await ours.post('/v1/drivers', body)).toMatchObject({
    status: 400,
    body: { error: 'Bad Request', message },
  });
});

test('rejects a CPF without a licence, in Portuguese, and adds no driver', async () => {
  const { ours, create } = await openWithLicense();

  const { status, body } = await create(cpfs[1]);

  expect([status, body]).toEqual([
    404,
    { error: 'CNH não encontrada', message: 'Não existe CNH para o CPF informado' },
  ]);
  expect((await ours.get('/v1/driver-licenses')).body['total']).toBe(0);
});

test('adding a driver again returns the same driver', async () => {
  const { ours, create, clock } = await openWithLicense();
  const first = await create();
  clock.advance(1000);

  expect(await create()).toEqual(first);
  expect((await ours.get('/v1/driver-licenses')).body['total']).toBe(1);
});

test.each(licenseStatuses)('a licence that becomes %s shows its new status and points', async (status) => {
  const { ours, register, create } = await openWithLicense();
  await create();

  await register({ status, points: 21 });

  expect((await ours.get('/v1/driver-licenses/1')).data).toEqual({ id: 1, ...record, status, points: 21 });
});

test('the licence of a user is registered for its CPF', async () => {
  const { ours, provider } = await openTestProvider();
  const { data } = await ours.post('/v1/users', user);
  const store = (points: number) =>
    provider.change(ours.organization, (change) =>
      storeUserDriverLicense(change, Number(data['id']), {
        ...license,
        points: { ...license.points, value: points },
      }),
    );
  await store(7);

  expect((await ours.post('/v1/drivers', { tax_id: user.tax_id })).status).toBe(201);
  await store(12);

  expect((await ours.get('/v1/driver-licenses/1')).data).toEqual({ id: 1, ...record, points: 12 });
  expect((await ours.get('/v1/users/1/drivers-license')).data['points']).toMatchObject({ value: 12 });
});
