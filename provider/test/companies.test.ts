import { expect, test } from 'vitest';
import { cnpjs, company, cpfs } from './kit/people.ts';
import { loggedIn, NOW, openTestProvider, TODAY } from './kit/test-provider.ts';

test('adds a company, responds with a brief record, and emits the full one', async () => {
  const { ours } = await openTestProvider();

  const { status, data } = await ours.post('/v1/companies', {
    ...company,
    external_uid: 'matriz',
    login_username: cpfs[0],
  });

  expect(status).toBe(201);
  expect(data).toMatchObject({
    ...company,
    external_uid: 'matriz',
    login_username: cpfs[0],
    organization: { id: ours.organization },
    created_at: NOW,
    updated_at: NOW,
  });
  const { data: full } = await ours.get(`/v1/companies/${String(data['id'])}`);
  expect(await ours.webhooks()).toEqual([{ type: 'company.created', data: full }]);
});

test('a new company has its login, SNE and certificate blocks', async () => {
  const { ours } = await openTestProvider();
  const { data: added } = await ours.post('/v1/companies', company);

  const { status, data } = await ours.get(`/v1/companies/${String(added['id'])}`);

  expect(status).toBe(200);
  expect(data).toMatchObject({
    sne: { status: 'unknown', sign_up_date: null, cancel_date: null },
    certificate: { status: 'not_provided', issue_date: null },
    login: { type: 'username', status: 'incomplete', service: 'gov_portal', connected: false },
    external_uid: null,
  });
});

test.each([
  [
    'a CNPJ with invalid check digits',
    { ...company, tax_id: '11222333000182' },
    /^tax_id: is not a valid CNPJ/,
  ],
  ['a CNPJ of one repeated digit', { ...company, tax_id: '00000000000000' }, /^tax_id: is not a valid CNPJ/],
  ['a CNPJ with punctuation', { ...company, tax_id: '11.222.333/0001-81' }, /^tax_id: is not a valid CNPJ/],
  [
    'a CNPJ as a number',
    { ...company, tax_id: 11222333000181 },
    /^tax_id: expected a CNPJ, received a number/,
  ],
  ['no CNPJ', { name: 'A' }, /^tax_id: is required/],
  ['no name', { tax_id: cnpjs[0] }, /^name: is required/],
  ['an empty name', { ...company, name: '' }, /^name: expected a non-empty string/],
  ['a login with an invalid CPF', { ...company, login_username: '52998224724' }, /^login_username: .*CPF/],
  ['two mistakes', { name: 1, tax_id: '1' }, /^name: .*; tax_id: /],
  ['no object', [], /expected object|expected an object/],
])('rejects %s', async (_, body, message) => {
  const { ours } = await openTestProvider();

  const response = await ours.post('/v1/companies', body);

  expect(response).toMatchObject({ status: 400, body: { error: 'Bad Request' } });
  expect(response.body['message']).toMatch(message);
  expect(await ours.webhooks()).toEqual([]);
});

test('accepts a CNPJ with letters', async () => {
  const { ours } = await openTestProvider();

  const { status, data } = await ours.post('/v1/companies', { ...company, tax_id: cnpjs[1] });

  expect(status).toBe(201);
  expect(data['tax_id']).toBe('12ABC34501DE35');
});

test('a CNPJ is unique per organization', async () => {
  const { ours, theirs } = await openTestProvider();
  await ours.post('/v1/companies', company);

  expect(await ours.post('/v1/companies', { ...company, name: 'Outra' })).toMatchObject({
    status: 409,
    body: { error: 'Conflict', message: 'Company with tax_id 11222333000181 already exists' },
  });
  expect((await theirs.post('/v1/companies', company)).status).toBe(201);
});

test('changes the given fields only, and emits a webhook', async () => {
  const { ours, clock } = await openTestProvider();
  const { data: added } = await ours.post('/v1/companies', { ...company, external_uid: 'matriz' });
  clock.advance(60_000);

  const { status, data } = await ours.put(`/v1/companies/${String(added['id'])}`, {
    name: 'Serra Azul S.A.',
  });

  expect(status).toBe(200);
  expect(data).toEqual({ ...added, name: 'Serra Azul S.A.', updated_at: '2026-03-10T12:01:00.000Z' });
  const [, update] = await ours.webhooks();
  expect(update).toMatchObject({ type: 'company.updated', data: { name: 'Serra Azul S.A.', sne: {} } });
});

test('text filters compare with case, and take % as it is', async () => {
  const { ours } = await openTestProvider();
  for (const [index, name] of ['Serra Azul', '100% Frete'].entries())
    await ours.post('/v1/companies', { name, tax_id: cnpjs[index] });
  const found = async (filter: string) =>
    (await ours.get(`/v1/companies?${filter}`)).rows.map(({ name }) => name);

  expect(await found('filters[name][$contains]=Azul')).toEqual(['Serra Azul']);
  expect(await found('filters[name][$contains]=azul')).toEqual([]);
  expect(await found('filters[name][$contains]=%25')).toEqual(['100% Frete']);
});

test('SNE: a sign-up requires a successful login, becomes pending, and emits a webhook', async () => {
  const setup = await openTestProvider();
  const { ours } = setup;
  const { data: added } = await ours.post('/v1/companies', company);
  const sne = `/v1/companies/${String(added['id'])}/sne`;

  expect(await ours.post(sne)).toMatchObject({ status: 422, body: { error: 'Unprocessable Entity' } });
  await loggedIn(setup, 'company', added['id']);

  expect(await ours.post(sne)).toMatchObject({
    status: 201,
    body: { data: { status: 'pending', sign_up_date: TODAY } },
  });
  expect(await ours.post(sne)).toMatchObject({ status: 409, body: { error: 'Conflict' } });
  expect((await ours.webhooks()).at(-1)).toMatchObject({
    type: 'company.sne.updated',
    data: { id: added['id'], sne: { status: 'pending', sign_up_date: TODAY, cancel_date: null } },
  });
});

test('SNE: the date of the sign-up is the day in Brazil', async () => {
  const setup = await openTestProvider();
  const { ours, clock } = setup;
  const { data: added } = await ours.post('/v1/companies', company);
  await loggedIn(setup, 'company', added['id']);
  // 2026-03-11T02:59:59Z is the evening of the 10th in Brazil.
  clock.advance(15 * 3_600_000 - 1_000);

  const { data } = await ours.post(`/v1/companies/${String(added['id'])}/sne`);

  expect(data['sign_up_date']).toBe('2026-03-10');
});

test('SNE: a cancellation requires an active registration and a successful login', async () => {
  const setup = await openTestProvider();
  const { ours, provider } = setup;
  const { data: added } = await ours.post('/v1/companies', company);
  const sne = `/v1/companies/${String(added['id'])}/sne`;

  expect(await ours.remove(sne)).toMatchObject({ status: 422, body: { message: 'The SNE is not active' } });
  await provider.query.updateTable('sne_registrations').set({ status: 'active' }).execute();
  expect(await ours.post(sne)).toMatchObject({ status: 409 });
  expect(await ours.remove(sne)).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('login') },
  });
  await loggedIn(setup, 'company', added['id']);

  expect(await ours.remove(sne)).toMatchObject({
    status: 200,
    body: { data: { status: 'canceling', cancel_date: TODAY } },
  });
  expect((await ours.webhooks()).at(-1)).toMatchObject({
    type: 'company.sne.updated',
    data: { sne: { status: 'canceling', cancel_date: TODAY } },
  });
});
