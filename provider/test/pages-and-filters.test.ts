import { expect, test } from 'vitest';
import { company, cpfs } from './kit/people.ts';
import { openTestProvider } from './kit/test-provider.ts';
import { addCharge } from '../charges/change-charge.ts';

async function openWithCharges(count: number) {
  const setup = await openTestProvider();
  const { ours, provider } = setup;
  await ours.post('/v1/companies', company);
  const add = () =>
    provider.change(ours.organization, (change) =>
      addCharge(change, { company_id: 1, type: 'fee', status: 'pending' }),
    );
  for (let charge = 0; charge < count; charge += 1) await add();
  const ids = async (query: string) => {
    const { rows, body } = await ours.get(`/v1/charges?${query}`);
    return { ids: rows.map(({ id }) => id), pagination: body['pagination'], total: body['total'] };
  };
  return { ...setup, add, ids };
}

test('responds with the records, the page and the total', async () => {
  const { ids } = await openWithCharges(7);

  expect(await ids('pagination[page]=2&pagination[size]=3')).toEqual({
    ids: [4, 5, 6],
    pagination: { page: 2, size: 3 },
    total: 7,
  });
  expect(await ids('pagination[page]=3&pagination[size]=3')).toMatchObject({ ids: [7], total: 7 });
  expect(await ids('pagination[page]=4&pagination[size]=3')).toMatchObject({ ids: [], total: 7 });
  expect(await ids('pagination[page]=9007199254740&pagination[size]=100')).toMatchObject({
    ids: [],
    total: 7,
  });
});

test('responds with the first page of 25 by default', async () => {
  const { ids } = await openWithCharges(26);

  const page = await ids('');

  expect(page).toMatchObject({ pagination: { page: 1, size: 25 }, total: 26 });
  expect(page.ids).toHaveLength(25);
});

test('shows a change on the next page that is read', async () => {
  const { ids, add, provider } = await openWithCharges(2);

  expect((await ids('')).total).toBe(2);
  await add();
  expect((await ids('')).total).toBe(3);
  await provider.query.updateTable('charges').set({ status: 'paid' }).where('id', '=', 1).execute();
  expect((await ids('filters[status][$eq]=paid')).ids).toEqual([1]);
  await provider.query.deleteFrom('charges').where('id', '=', 1).execute();
  expect((await ids('filters[status][$eq]=paid')).ids).toEqual([]);
});

test('accepts percent-encoded names and a trailing slash', async () => {
  const { ours } = await openWithCharges(3);
  const query = `${encodeURIComponent('pagination[page]')}=2&${encodeURIComponent('pagination[size]')}=2`;

  expect((await ours.get(`/v1/charges/?${query}`)).rows.map(({ id }) => id)).toEqual([3]);
});

test.each([
  ['/v1/charges?pagination[page]=0', 'pagination[page]: expected 1 or more'],
  ['/v1/charges?pagination[page]=two', 'pagination[page]: expected a whole number'],
  ['/v1/charges?pagination[page]=1.5', 'pagination[page]: expected a whole number'],
  ['/v1/charges?pagination[page]=', 'pagination[page]: expected a whole number'],
  ['/v1/charges?pagination[size]=101', 'pagination[size]: expected 100 or less'],
  ['/v1/charges?pagination[size]=0', 'pagination[size]: expected 1 or more'],
  ['/v1/charges?pagination[page]=1&pagination[page]=2', 'pagination[page]: expected one whole number'],
  ['/v1/charges?filters[status][$eq]=open', 'filters[status][$eq]: expected one of pending, paid, overdue'],
  [
    '/v1/charges?filters[date][$eq]=2026-02-30',
    'filters[date][$eq]: expected a calendar date (YYYY-MM-DD), received another string',
  ],
  [
    '/v1/traffic-violations?filters[date][$eq]=2026-02-22%2024:00:00',
    'filters[date][$eq]: expected YYYY-MM-DD or YYYY-MM-DD HH:mm:ss',
  ],
  [
    '/v1/users?filters[login][connected_at][$gt]=2026-02-30',
    'filters[login][connected_at][$gt]: expected an ISO 8601 date or date-time such as 2026-03-09 or 2026-03-09T14:05:00Z',
  ],
  ['/v1/users?filters[login][connected][$eq]=1', 'filters[login][connected][$eq]: expected true or false'],
  ['/v1/companies?filters[name][$eq]=', 'filters[name][$eq]: expected one value that is not empty'],
  [
    '/v1/companies?filters[name][$eq]=a&filters[name][$eq]=b',
    'filters[name][$eq]: expected one value that is not empty',
  ],
])('rejects %s: %s', async (path, message) => {
  const { ours } = await openTestProvider();

  expect(await ours.get(path)).toMatchObject({ status: 400, body: { error: 'Bad Request', message } });
});

test.each([
  ['an operator that the field does not allow', 'filters[name][$endsWith]=a'],
  ['an operator that there is not', 'filters[name][$in]=a'],
  ['a field that there is not', 'filters[nome][$eq]=a'],
  ['a field without operator', 'filters[name]=a'],
  ['a nested field without its parent', 'filters[status][$eq]=active'],
  ['a parameter of another language', 'page=2'],
  ['a name that an object inherits', 'filters[constructor][$eq]=a'],
])('rejects %s, and lists the known parameters', async (_, query) => {
  const { ours } = await openTestProvider();

  const response = await ours.get(`/v1/companies?${query}`);

  expect(response).toMatchObject({ status: 400, body: { error: 'Bad Request' } });
  expect(response.body['message']).toBe(
    `unknown parameter: ${query.slice(0, query.lastIndexOf('='))}; this endpoint has ` +
      'pagination[page], pagination[size], filters[name][$eq], filters[name][$contains], ' +
      'filters[name][$startsWith], filters[tax_id][$eq], filters[tax_id][$contains], ' +
      'filters[sne][status][$eq], filters[certificate][status][$eq], ' +
      'filters[external_uid][$eq], filters[external_uid][$ne]',
  );
});

test('rejects parameters of an endpoint that is not a list', async () => {
  const { ours } = await openWithCharges(1);

  expect(await ours.get('/v1/charges/1?pagination[page]=1')).toMatchObject({
    status: 400,
    body: { message: 'unknown parameter: pagination[page]; this endpoint has none' },
  });
});

test.each(['x', '1x', '-1', '1.5', '0x1', '99999999999999999999'])(
  'rejects an id that is not a number: %s',
  async (id) => {
    const { ours } = await openTestProvider();

    expect(await ours.get(`/v1/charges/${id}`)).toMatchObject({
      status: 400,
      body: { error: 'Bad Request', message: 'id: expected a whole number' },
    });
  },
);

test.each([
  ['broken JSON', '{', 'application/json', 400, 'The body is not JSON'],
  ['nothing', '', 'application/json', 400, 'The body is not JSON'],
  ['nothing, of no type', '', undefined, 400, 'The request has no body'],
  [
    'what is no UTF-8',
    Buffer.from('{"name":"\xff"}', 'latin1'),
    'application/json',
    400,
    'The body is not JSON',
  ],
  ['half a character', '{"name":"\\ud83d"}', 'application/json', 400, 'The body is not JSON'],
  ['half a character for a name', '{"\\uDe00":1}', 'application/json', 400, 'The body is not JSON'],
  [
    'a form',
    'name=A',
    'application/x-www-form-urlencoded',
    415,
    'Send the body as content-type: application/json',
  ],
  ['text', '{}', 'text/plain', 415, 'Send the body as content-type: application/json'],
  [
    'too much',
    `{"name":"${'a'.repeat(1_048_576)}"}`,
    'application/json',
    413,
    'The body has more than 1048576 bytes',
  ],
])('rejects %s as a body', async (_, body, type, status, message) => {
  const { app, ours } = await openTestProvider();

  const response = await app.request('/v1/companies', {
    method: 'POST',
    headers: { 'x-api-key': ours.key, ...(type !== undefined && { 'content-type': type }) },
    ...(body !== '' && { body }),
  });

  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: expect.any(String), message });
});

test('accepts an escaped surrogate pair', async () => {
  const { app, ours } = await openTestProvider();

  const response = await app.request('/v1/companies', {
    method: 'POST',
    headers: { 'x-api-key': ours.key, 'content-type': 'application/json' },
    body: `{"name":"\\ud83d\\ude9a","tax_id":"${company.tax_id}"}`,
  });

  expect(await response.json()).toMatchObject({ data: { name: '🚚' } });
});

test('accepts names such as __proto__ in a body', async () => {
  const { app, ours } = await openTestProvider();

  const response = await app.request('/v1/users', {
    method: 'POST',
    headers: { 'x-api-key': ours.key, 'content-type': 'application/json; charset=utf-8' },
    body: `{"__proto__":{"email":"x@example.com"},"constructor":1,"name":"A","tax_id":"${cpfs[0]}"}`,
  });

  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ data: { name: 'A', email: null } });
});

test('logs a defect and does not show its message', async () => {
  const { ours, provider, logged } = await openTestProvider();
  provider.sqlite.exec('drop table charge_payment_slips');

  const response = await ours.get('/v1/charges/payment-slips');

  expect(response).toMatchObject({
    status: 500,
    body: { error: 'Internal Server Error', message: 'An unexpected error occurred' },
  });
  expect(logged).toHaveLength(1);
});
