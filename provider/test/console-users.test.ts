import { expect, test } from 'vitest';
import { cnpjs } from './kit/people.ts';
import { NOW, openTestProvider, type Client, type Json } from './kit/test-provider.ts';

const email = 'beatriz.nogueira@example.com';

async function addCompanies(client: Client): Promise<void> {
  for (const [index, tax_id] of cnpjs.entries())
    await client.post('/v1/companies', {
      name: `Empresa ${String(index + 1)}`,
      tax_id,
      external_uid: `e${String(index + 1)}`,
    });
}

async function signIn(client: Client, body: object = {}) {
  return client.post('/v1/console/users/sign-in', { email, companies: [{ tax_id: cnpjs[0] }], ...body });
}

async function onlyUser(client: Client): Promise<Json> {
  const { rows } = await client.get('/v1/console/users');
  expect(rows).toHaveLength(1);
  return rows[0] ?? {};
}

test('the first sign-in creates the user, emits a webhook, and returns the address of the console', async () => {
  const { ours } = await openTestProvider();
  await addCompanies(ours);

  const { status, body } = await signIn(ours, { name: 'Beatriz', external_uid: 'analista-7' });

  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['redirect_url', 'token']);
  expect(body['redirect_url']).toBe(`http://provider.example/console?token=${String(body['token'])}`);
  const created = await onlyUser(ours);
  expect(created).toMatchObject({ name: 'Beatriz', email, external_uid: 'analista-7', created_at: NOW });
  expect(created['id']).toEqual(expect.stringMatching(/^cu_.{16}$/));
  expect((await ours.webhooks()).at(-1)).toEqual({ type: 'console-user.created', data: created });
});

test('a later sign-in with the e-mail address in any case returns a new token for the same user', async () => {
  const { ours, clock } = await openTestProvider();
  await addCompanies(ours);
  const first = await signIn(ours, { name: 'Beatriz' });
  const created = await onlyUser(ours);
  clock.advance(1_000);

  const again = await signIn(ours, { email: 'Beatriz.Nogueira@Example.com' });

  expect(again.body['token']).not.toBe(first.body['token']);
  expect(await onlyUser(ours)).toEqual(created);
  expect((await ours.webhooks()).filter(({ type }) => type.startsWith('console-user'))).toHaveLength(1);
});

test('a sign-in with another name updates the user and emits a webhook', async () => {
  const { ours, clock } = await openTestProvider();
  await addCompanies(ours);
  await signIn(ours, { name: 'Beatriz' });
  clock.advance(1_000);

  await signIn(ours, { name: 'Beatriz Nogueira' });

  const changed = await onlyUser(ours);
  expect(changed).toMatchObject({ name: 'Beatriz Nogueira', updated_at: '2026-03-10T12:00:01.000Z' });
  expect((await ours.webhooks()).at(-1)).toEqual({ type: 'console-user.updated', data: changed });
});

test.each([
  ['a missing e-mail address', { email: undefined }, /^email: is required/],
  ['an invalid e-mail address', { email: 'beatriz@' }, /^email: is not a valid e-mail address/],
  ['no companies', { companies: undefined }, /^companies: is required/],
  ['an empty list of companies', { companies: [] }, /^companies: .*at least one company/],
  ['a wrong CNPJ', { companies: [{ tax_id: '1' }] }, /^companies\.0\.tax_id: is not a valid CNPJ/],
  ["another's company", { companies: [{ tax_id: cnpjs[1] }] }, /has no company with tax_id 12ABC34501DE35$/],
])('sign-in: rejects %s and stores nothing', async (_, body, message) => {
  const { ours, theirs } = await openTestProvider();
  await ours.post('/v1/companies', { name: 'Nossa', tax_id: cnpjs[0] });
  await theirs.post('/v1/companies', { name: 'Deles', tax_id: cnpjs[1] });

  const response = await signIn(ours, body);

  expect(response).toMatchObject({ status: 400, body: { error: 'Bad Request' } });
  expect(response.body['message']).toMatch(message);
  expect((await ours.get('/v1/console/users')).body['total']).toBe(0);
  expect((await ours.webhooks()).map(({ type }) => type)).toEqual(['company.created']);
});

test('sign-ins add companies, which are listed with string ids and can be removed', async () => {
  const { ours } = await openTestProvider();
  await addCompanies(ours);
  await signIn(ours, { companies: [{ tax_id: cnpjs[0] }, { tax_id: cnpjs[2], external_uid: 'terceira' }] });
  await signIn(ours, { companies: [{ tax_id: cnpjs[1] }, { tax_id: cnpjs[2] }] });
  const path = `/v1/console/users/${String((await onlyUser(ours))['id'])}/companies`;
  const listed = async () => (await ours.get(path)).rows.map(({ id, external_uid }) => [id, external_uid]);

  expect(await listed()).toEqual([
    ['1', 'e1'],
    ['2', 'e2'],
    ['3', 'terceira'],
  ]);
  const page = await ours.get(`${path}?pagination[page]=2&pagination[size]=2`);
  expect(page.body).toMatchObject({ pagination: { page: 2, size: 2 }, total: 3 });

  expect(await ours.remove(path, { companies: [cnpjs[0], cnpjs[3]] })).toMatchObject({
    status: 200,
    body: { message: expect.any(String) },
  });
  expect(await listed()).toEqual([
    ['2', 'e2'],
    ['3', 'terceira'],
  ]);
});

test('a removed user is not found, and the webhook carries its record', async () => {
  const { ours, provider } = await openTestProvider();
  await addCompanies(ours);
  await signIn(ours);
  const user = await onlyUser(ours);
  const path = `/v1/console/users/${String(user['id'])}`;

  expect(await ours.remove(path)).toMatchObject({ status: 200, body: { message: expect.any(String) } });

  expect(await ours.get(path)).toMatchObject({ status: 404 });
  expect((await ours.webhooks()).at(-1)).toEqual({ type: 'console-user.deleted', data: user });
  for (const table of ['console_tokens', 'company_groups', 'company_group_members'] as const)
    expect(await provider.query.selectFrom(table).selectAll().execute()).toEqual([]);
});
