import { expect, test } from 'vitest';
import { addAppeal, decideAppeal } from '../../appeals/change-appeal.ts';
import { registerLicense } from '../../driver-licenses/change-driver-license.ts';
import { addTrafficViolation } from '../../traffic-violations/change-traffic-violation.ts';
import { company, cpfs } from '../kit/people.ts';
import { readResponse, NOW, openTestProvider } from '../kit/test-provider.ts';
import { speeding } from '../kit/violation-setup.ts';

const given = { user_id: 1, reference_object_id: 31, reference_object_type: 'procedure' } as const;

async function openWithDriver() {
  const setup = await openTestProvider();
  const { app, ours, provider } = setup;
  await provider.change(ours.organization, (change) =>
    registerLicense(change, { tax_id: cpfs[0], status: 'Válida' }),
  );
  await ours.post('/v1/drivers', { tax_id: cpfs[0] });
  const send = async (
    body: string | URLSearchParams | FormData,
    headers: Record<string, string> = { 'x-api-key': ours.key },
  ) => readResponse(await app.request('/v1/appeals', { method: 'POST', headers, body }));
  const decide = (id: number, status: Parameters<typeof decideAppeal>[2]) =>
    provider.change(ours.organization, (change) => decideAppeal(change, id, status));
  return { ...setup, send, decide };
}

const form = (fields: Readonly<Record<string, unknown>>) =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]));

function multipart(fields: Readonly<Record<string, unknown>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, String(value));
  return data;
}

test('creates an appeal from a form, with a brief response and a flat record', async () => {
  const { ours, send } = await openWithDriver();

  const { status, body } = await send(form(given));

  expect(status).toBe(200);
  expect(body).toEqual({ id: 1, user_id: 1, status: 'pending', created_at: NOW, updated_at: NOW });
  const detail = await ours.get('/v1/appeals/1');
  expect(detail.body).toEqual({ ...body, ...given, legal_instance: 'dp', submitted_at: NOW });
});

test.each([
  ['a multipart form', multipart(given)],
  ['the names of the example', form({ user_id: 1, object_id: 31, object_type: 'procedure' })],
  ['both names with the same value', form({ ...given, object_id: 31, object_type: 'procedure' })],
  [
    'fields that are not part of the request',
    form({ ...given, legal_instance: 'cetran', status: 'accepted' }),
  ],
])('accepts %s', async (_, body) => {
  const { ours, send } = await openWithDriver();

  expect((await send(body)).status).toBe(200);
  expect((await ours.get('/v1/appeals/1')).body).toMatchObject({
    ...given,
    legal_instance: 'dp',
    status: 'pending',
  });
});

test.each([given, { user_id: '1', object_id: 31, object_type: 'procedure' }])(
  'accepts JSON',
  async (body) => {
    const { ours } = await openWithDriver();

    expect((await ours.post('/v1/appeals', body)).status).toBe(200);
    expect((await ours.get('/v1/appeals/1')).body).toMatchObject(given);
  },
);

test.each([
  [{}, 'user_id: is required: expected a whole number'],
  [
    { user_id: 1 },
    'reference_object_id: is required: expected a whole number; reference_object_type: is required: expected one of traffic_ticket, procedure',
  ],
  [{ ...given, user_id: 'x' }, 'user_id: expected a whole number, received a string'],
  [{ ...given, reference_object_id: -1 }, 'reference_object_id: expected a whole number, received a string'],
  [
    { ...given, reference_object_type: 'fine' },
    'reference_object_type: expected one of traffic_ticket, procedure, received a string',
  ],
  [{ ...given, object_id: 32 }, 'object_id: differs from reference_object_id: give one of them'],
  [
    { ...given, object_type: 'traffic_ticket' },
    'object_type: differs from reference_object_type: give one of them',
  ],
])('rejects %o: %s', async (values, message) => {
  const { ours, send } = await openWithDriver();

  const { status, body } = await send(form(values));

  expect([status, body]).toEqual([400, { error: 'Bad Request', message }]);
  expect((await ours.get('/v1/appeals')).body['total']).toBe(0);
});

test('rejects a repeated field', async () => {
  const { send } = await openWithDriver();

  expect(
    await send(new URLSearchParams('user_id=1&user_id=2&object_id=1&object_type=procedure')),
  ).toMatchObject({
    status: 400,
    body: { message: 'user_id: expected a whole number, received an array' },
  });
});

test.each([
  ['multipart/form-data', 400, 'The body is not a form'],
  ['multipart/form-data; boundary=x', 400, 'The body is not a form'],
  ['text/plain', 415, 'Send the body as content-type: application/x-www-form-urlencoded'],
])('rejects %s with an invalid body', async (type, status, message) => {
  const { ours, send } = await openWithDriver();

  const response = await send('user_id=1', { 'x-api-key': ours.key, 'content-type': type });

  expect(response).toMatchObject({ status, body: { message } });
});

test('rejects an unknown driver and one of another organization', async () => {
  const { ours, theirs, send } = await openWithDriver();

  expect(await send(form({ ...given, user_id: 2 }))).toMatchObject({
    status: 404,
    body: { error: 'Not Found', message: 'Driver with id 2 not found' },
  });
  expect(await theirs.post('/v1/appeals', given)).toMatchObject({ status: 404 });
  expect((await ours.get('/v1/appeals')).body['total']).toBe(0);
});

test('accepts an appeal only for a traffic violation of the organization', async () => {
  const { ours, theirs, provider, send } = await openWithDriver();
  const about = (id: number) =>
    form({ ...given, reference_object_id: id, reference_object_type: 'traffic_ticket' });
  const add = ({ organization }: typeof ours) =>
    provider.change(organization, (change) => addTrafficViolation(change, speeding));
  await ours.post('/v1/companies', company);
  await add(ours);
  await add(theirs);

  expect((await send(about(1))).status).toBe(200);
  expect(await send(about(2))).toMatchObject({
    status: 404,
    body: { error: 'Not Found', message: 'Traffic violation with id 2 not found' },
  });
});

test('x-api-key has precedence over the other header', async () => {
  const { app, ours } = await openWithDriver();
  const status = async (key: string, token: string) =>
    (await app.request('/v1/appeals', { headers: { 'x-api-key': key, 'api-x-token': token } })).status;

  expect(await status(ours.key, 'fdc_guessed')).toBe(200);
  expect(await status('fdc_guessed', ours.key)).toBe(401);
});

test('lists ten appeals per page, in the format of this endpoint', async () => {
  const { ours, provider } = await openWithDriver();
  expect((await ours.get('/v1/appeals')).body).toEqual({
    page: 1,
    page_size: 10,
    total: 0,
    total_pages: 0,
    data: [],
  });
  for (let appeal = 0; appeal < 12; appeal += 1)
    await provider.change(ours.organization, (change) => addAppeal(change, given));

  const { body, rows } = await ours.get('/v1/appeals/');
  expect(body).toMatchObject({ page: 1, page_size: 10, total: 12, total_pages: 2 });
  expect(rows.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);

  expect((await ours.get('/v1/appeals?page=2')).rows.map(({ id }) => id)).toEqual([11, 12]);
  const third = await ours.get('/v1/appeals?page=3&page_size=5&status=all');
  expect(third.body).toMatchObject({ page: 3, page_size: 5, total: 12, total_pages: 3 });
  expect(third.rows.map(({ id }) => id)).toEqual([11, 12]);
  expect((await ours.get('/v1/appeals?page=4&page_size=5')).body).toMatchObject({ total: 12, data: [] });
});

test('filters the list of appeals by status', async () => {
  const { ours, send, decide } = await openWithDriver();
  for (const id of [31, 32, 33, 34]) await send(form({ ...given, reference_object_id: id }));
  await decide(2, 'accepted');
  await decide(3, 'rejected');
  await decide(4, 'deferred');

  const found = async (status: string) => {
    const { rows, body } = await ours.get(`/v1/appeals?status=${status}`);
    expect(body['total']).toBe(rows.length);
    return rows.map(({ id }) => id);
  };

  expect(await found('pending')).toEqual([1]);
  expect(await found('accepted')).toEqual([2]);
  expect(await found('rejected')).toEqual([3]);
  expect(await found('deferred')).toEqual([4]);
  expect(await found('all')).toEqual([1, 2, 3, 4]);
});

test.each([
  'page=0',
  'page=x',
  'page_size=101',
  'page_size=',
  'status=open',
  'pagination[page]=1',
  'status=all&status=all',
])('rejects ?%s', async (query) => {
  const { ours } = await openWithDriver();

  expect(await ours.get(`/v1/appeals?${query}`)).toMatchObject({
    status: 400,
    body: { error: 'Bad Request' },
  });
});

test('after a rejection, the next legal instance hears the appeal', async () => {
  const { ours, send, decide } = await openWithDriver();
  const instances = async () => (await ours.get('/v1/appeals')).rows.map((row) => row['legal_instance']);

  for (const id of [1, 2, 3]) {
    await send(form(given));
    await decide(id, 'rejected');
  }
  await send(form(given));
  await send(form({ ...given, reference_object_id: 32 }));

  expect(await instances()).toEqual(['dp', 'jari', 'cetran', 'cetran', 'dp']);
});

test('an appeal is decided once, also after a deferral, and emits no webhook', async () => {
  const { ours, theirs, provider, send, decide, clock } = await openWithDriver();
  await send(form(given));
  clock.advance(1000);

  await decide(1, 'deferred');
  await decide(1, 'accepted');

  expect((await ours.get('/v1/appeals/1')).body).toMatchObject({
    status: 'accepted',
    submitted_at: NOW,
    updated_at: '2026-03-10T12:00:01.000Z',
  });
  await expect(decide(1, 'rejected')).rejects.toThrow('accepted cannot become rejected');
  await expect(
    provider.change(theirs.organization, (change) => decideAppeal(change, 1, 'rejected')),
  ).rejects.toThrow('Appeal with id 1 not found');
  expect(await ours.webhooks()).toEqual([]);
});
