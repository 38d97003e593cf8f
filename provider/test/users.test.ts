import { expect, test } from 'vitest';
import { storeUserDriverLicense } from '../users/change-user.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { cpfs, license, user } from './kit/people.ts';
import { loggedIn, NOW, openTestProvider } from './kit/test-provider.ts';

test('adds a user with a pending link and shows its full record', async () => {
  const { ours } = await openTestProvider();

  const { status, data: added } = await ours.post('/v1/users', {
    ...user,
    email: 'beatriz@example.com',
    phone: '+5541987654321',
    external_uid: 'motorista-1',
  });
  const { data } = await ours.get(`/v1/users/${String(added['id'])}`);

  expect(status).toBe(201);
  expect(data).toMatchObject({
    ...added,
    ...user,
    email: 'beatriz@example.com',
    phone: '+5541987654321',
    status: 'pending',
    login: { type: 'password', connected: false },
    created_at: NOW,
  });
});

test.each([
  ['a wrong CPF', { ...user, tax_id: '52998224724' }, /^tax_id: is not a valid CPF/],
  ['a CPF of one repeated digit', { ...user, tax_id: '11111111111' }, /^tax_id: is not a valid CPF/],
  ['no name', { tax_id: cpfs[0] }, /^name: is required/],
  ['an invalid e-mail address', { ...user, email: 'beatriz' }, /^email: is not a valid e-mail address/],
  ['a phone without an area code', { ...user, phone: '987654321' }, /^phone: is not a valid phone number/],
  ['a phone with an invalid area code', { ...user, phone: '+5500987654321' }, /^phone: is not/],
  ['a phone with an area code that no city has', { ...user, phone: '20987654321' }, /^phone: is not/],
  ['a phone of zeros', { ...user, phone: '+5511000000000' }, /^phone: is not/],
  ['a phone of ones', { ...user, phone: '11111111111' }, /^phone: is not/],
  ['a mobile number that does not begin with 9', { ...user, phone: '11887654321' }, /^phone: is not/],
  ['a phone with punctuation', { ...user, phone: '(41) 98765-4321' }, /11987654321, or E\.164/],
  ['null', { ...user, email: null }, /^email: expected an e-mail address, received null/],
])('rejects %s', async (_, body, message) => {
  const { ours } = await openTestProvider();

  const response = await ours.post('/v1/users', body);

  expect(response).toMatchObject({ status: 400, body: { error: 'Bad Request' } });
  expect(response.body['message']).toMatch(message);
});

test.each([
  ['+5541987654321', '+5541987654321'],
  ['41987654321', '+5541987654321'],
  ['4133330100', '+554133330100'],
  ['+442071838750', '+442071838750'],
])('takes the phone %s and keeps %s', async (phone, kept) => {
  const { ours } = await openTestProvider();

  const { data: added } = await ours.post('/v1/users', { ...user, phone });
  const path = `/v1/users/${String(added['id'])}`;
  const { data: changed } = await ours.put(path, { phone });

  expect([added['phone'], changed['phone']]).toEqual([kept, kept]);
  expect((await ours.get(path)).data['phone']).toBe(kept);
});

test('changes the given fields only, and rejects a change without fields', async () => {
  const { ours, clock } = await openTestProvider();
  const { data: added } = await ours.post('/v1/users', user);
  const path = `/v1/users/${String(added['id'])}`;
  clock.advance(1_000);

  expect(await ours.put(path, { email: 'b@example.com' })).toMatchObject({
    status: 200,
    body: { data: { ...added, email: 'b@example.com', updated_at: '2026-03-10T12:00:01.000Z' } },
  });
  expect(await ours.put(path, {})).toMatchObject({ status: 400 });
  expect(await ours.put(path, { email: 'nobody' })).toMatchObject({ status: 400 });
});

test('removing a user removes its records, and the user can be added again', async () => {
  const { ours, provider } = await openTestProvider();
  const { data: added } = await ours.post('/v1/users', user);
  const path = `/v1/users/${String(added['id'])}`;

  expect(await ours.remove(path)).toMatchObject({
    status: 200,
    body: { message: `User with id ${String(added['id'])} removed` },
  });

  expect(await ours.get(path)).toMatchObject({ status: 404 });
  expect(await ours.remove(path)).toMatchObject({ status: 404 });
  expect(await provider.query.selectFrom('logins').select('id').execute()).toEqual([]);
  expect(await provider.query.selectFrom('sne_registrations').select('owner_id').execute()).toEqual([]);
  expect((await ours.post('/v1/users', user)).status).toBe(201);
});

test('a link can be deactivated and activated from any status', async () => {
  const { ours } = await openTestProvider();
  const { data: added } = await ours.post('/v1/users', user);
  const path = `/v1/users/${String(added['id'])}`;
  const status = async () => (await ours.get(path)).data['status'];

  for (const [move, next] of [
    ['activate', 'active'],
    ['activate', 'active'],
    ['deactivate', 'inactive'],
    ['deactivate', 'inactive'],
    ['activate', 'active'],
  ] as const) {
    expect(await ours.post(`${path}/${move}`)).toMatchObject({
      status: 200,
      body: { data: { status: next } },
    });
    expect(await status()).toBe(next);
  }
});

test('shows a licence unless the link is inactive, and responds 404 with a label only', async () => {
  const { ours, provider } = await openTestProvider();
  const { data: added } = await ours.post('/v1/users', { ...user, external_uid: 'motorista-1' });
  const path = `/v1/users/${String(added['id'])}`;

  const missing = await ours.get(`${path}/drivers-license`);
  expect([missing.status, missing.body]).toEqual([404, { error: 'CNH não encontrada' }]);

  await provider.change(ours.organization, (change) =>
    storeUserDriverLicense(change, Number(added['id']), license),
  );
  const { status, data } = await ours.get(`${path}/drivers-license`);
  expect(status).toBe(200);
  expect(data).toEqual({
    ...license,
    tax_id: user.tax_id,
    id: 1,
    user: { id: added['id'], external_uid: 'motorista-1' },
    created_at: NOW,
  });

  await ours.post(`${path}/deactivate`);
  expect(await ours.get(`${path}/drivers-license`)).toMatchObject({
    status: 403,
    body: { error: 'Forbidden', message: expect.stringContaining('inactive') },
  });
  await ours.post(`${path}/activate`);
  expect(await ours.get(`${path}/drivers-license`)).toMatchObject({ status: 200 });
});

test.each([
  ['2026-03-09', { $eq: [], $ne: [1, 2, 3], $lt: [], $lte: [], $gt: [2], $gte: [2] }],
  ['2026-03-10', { $eq: [2], $ne: [1, 3], $lt: [], $lte: [2], $gt: [], $gte: [2] }],
  ['2026-03-11', { $eq: [], $ne: [1, 2, 3], $lt: [2], $lte: [2], $gt: [], $gte: [] }],
  ['2026-03-10T12:00:00Z', { $eq: [2], $ne: [1, 3], $lt: [], $lte: [2], $gt: [], $gte: [2] }],
])('compares the time of a login with %s, a day being the whole day in UTC', async (time, expected) => {
  const setup = await openTestProvider();
  const { ours } = setup;
  for (const tax_id of cpfs) await ours.post('/v1/users', { name: 'Ana', tax_id });
  await loggedIn(setup, 'user', 2);

  for (const [operator, ids] of Object.entries(expected)) {
    const { rows } = await ours.get(`/v1/users?filters[login][connected_at][${operator}]=${time}`);
    expect(
      rows.map(({ id }) => id),
      operator,
    ).toEqual(ids);
  }
});

test('suppresses webhooks of a user only while the link is inactive', async () => {
  const { ours, provider } = await openTestProvider();
  const { data: added } = await ours.post('/v1/users', user);
  const id = Number(added['id']);
  const emit = () =>
    provider.change(ours.organization, (change) =>
      recordChange(change, 'user.login.started', { id, connected: false, step: null, attempt: 1 }, id),
    );

  await emit();
  await ours.post(`/v1/users/${String(id)}/deactivate`);
  await emit();
  expect(await ours.webhooks()).toHaveLength(1);
  await ours.post(`/v1/users/${String(id)}/activate`);
  await emit();
  expect(await ours.webhooks()).toHaveLength(2);
});
