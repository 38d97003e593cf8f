import { expect, test } from 'vitest';
import { addAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { addCharge } from '../charges/change-charge.ts';
import { registerLicense } from '../driver-licenses/change-driver-license.ts';
import { addTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import { allRoutes } from '../http/all-routes.ts';
import { cnpjs, company, cpfs, user } from './kit/people.ts';
import { readResponse, loggedIn, openTestProvider, type Client } from './kit/test-provider.ts';
import { speeding } from './kit/violation-setup.ts';

const endpoints = allRoutes.map(({ endpoint }) => endpoint);
const names = endpoints.map(({ operationId, ...endpoint }) => [operationId, endpoint] as const);

/** A valid body for each endpoint that has one. */
const bodies: Readonly<Record<string, object>> = {
  createCompany: company,
  updateCompany: { name: 'A' },
  storeCertificate: { certificate: 'MA==', password: '' },
  createUser: user,
  updateUser: { name: 'A' },
  signConsoleUserIn: { email: 'a@example.com', companies: [{ tax_id: cnpjs[0] }] },
  removeCompaniesOfConsoleUser: { companies: [cnpjs[0]] },
  createAppeal: { user_id: 1, reference_object_id: 1, reference_object_type: 'procedure' },
  createDriver: { tax_id: cpfs[0] },
  requestTrafficViolationTicket: {},
  createIndication: { tax_id: cpfs[0] },
  signWidgetUserIn: { widget_uid: 'filled in', external_uid: 'a' },
};

/** Adds a record of each kind to an organization, and returns an id for each part of a path. */
async function fill(setup: Awaited<ReturnType<typeof openTestProvider>>, client: Client) {
  const { data: ourCompany } = await client.post('/v1/companies', company);
  const { data: ourUser } = await client.post('/v1/users', { ...user, tax_id: cpfs[0] });
  for (const [kind, { id }] of [
    ['company', ourCompany],
    ['user', ourUser],
  ] as const)
    await loggedIn(setup, kind, id);
  await client.post('/v1/console/users/sign-in', bodies['signConsoleUserIn']);
  const { rows } = await client.get('/v1/console/users');
  const antt = await setup.provider.change(client.organization, (change) =>
    addAnttViolation(change, { company_id: Number(ourCompany['id']), type: 'rntrc', status: 'pending' }),
  );
  await client.post(`/v1/antt/violations/${String(antt.id)}/tickets`);
  await setup.provider.change(client.organization, (change) =>
    registerLicense(change, { tax_id: cpfs[0], status: 'Válida' }),
  );
  const driver = await client.post('/v1/drivers', { tax_id: cpfs[0] });
  const appeal = await client.post('/v1/appeals', bodies['createAppeal']);
  const charge = await setup.provider.change(client.organization, (change) =>
    addCharge(change, { company_id: Number(ourCompany['id']), type: 'fee', status: 'pending' }),
  );
  await client.post(`/v1/charges/${String(charge.id)}/payment-slips`);
  const violation = await setup.provider.change(client.organization, (change) =>
    addTrafficViolation(change, speeding),
  );
  const violationPath = `/v1/traffic-violations/${String(violation.id)}`;
  await client.post(`${violationPath}/tickets`);
  const tickets = await client.get(`${violationPath}/tickets`);
  const indication = await client.post(`${violationPath}/indications`, bodies['createIndication']);
  return {
    Companies: ourCompany['id'],
    Users: ourUser['id'],
    'Console users': rows[0]?.['id'],
    'Widget users': client.widget,
    'Traffic violations': violation.id,
    'Driver indications': violation.id,
    indication: indication.data['id'],
    'Traffic violation payment slips': tickets.rows[0]?.['id'],
    'ANTT violations': antt.id,
    Charges: charge.id,
    'Driver licenses': driver.data['id'],
    Appeals: appeal.body['id'],
  };
}

test.each(names)('rejects %s without a key and with an unknown key', async (_, { method, path }) => {
  const { app } = await openTestProvider();
  const request = async (headers: Record<string, string>) =>
    readResponse(await app.request(path.replace('{id}', '1'), { method: method.toUpperCase(), headers }));

  expect(await request({})).toMatchObject({ status: 401, body: { error: 'Unauthorized' } });
  expect(await request({ 'x-api-key': 'fdc_guessed' })).toMatchObject({ status: 401 });
  expect(await request({ 'api-x-token': 'fdc_guessed' })).toMatchObject({ status: 401 });
});

test('accepts the second key header for appeals only', async () => {
  const { app, ours } = await openTestProvider();

  for (const { method, path, part } of endpoints) {
    const response = await app.request(path.replace('{id}', '1'), {
      method: method.toUpperCase(),
      headers: { 'api-x-token': ours.key },
    });
    expect(response.status === 401, `${method} ${path}`).toBe(part !== 'Appeals');
  }
});

/** Endpoints whose body names a record of another organization. */
const looksUp: readonly string[] = ['signWidgetUserIn', 'createDriver', 'createAppeal'];

test.each(names)(
  "%s shows and changes nothing of another organization's",
  async (operationId, { part, method, path }) => {
    const setup = await openTestProvider();
    const { ours, theirs } = setup;
    const ids = await fill(setup, ours);
    const snapshot = () => setup.sqliteDump(ours.organization);
    const before = await snapshot();
    const body =
      operationId === 'signWidgetUserIn'
        ? { ...bodies[operationId], widget_uid: ours.widget }
        : bodies[operationId];

    const filledIn = path
      .replace('{id}', String(ids[part]))
      .replace('{indicationId}', String(ids.indication));
    const response = await theirs.request(method.toUpperCase(), filledIn, body);

    if (path.includes('{id}') || looksUp.includes(operationId)) expect(response.status).toBe(404);
    else if (method === 'get') expect(response.body).toMatchObject({ data: [], total: 0 });
    // It names a company that its own organization does not have.
    else if (operationId === 'signConsoleUserIn') expect(response.status).toBe(400);
    // What ours has is not taken for theirs.
    else expect(response.status).toBe(201);
    expect(await snapshot()).toEqual(before);
  },
);

test('covers every endpoint with a body', () => {
  const taking = endpoints.filter(({ body }) => body !== null);

  expect(Object.keys(bodies).sort()).toEqual(taking.map(({ operationId }) => operationId).sort());
  for (const { operationId, body } of taking) expect(body?.safeParse(bodies[operationId]).success).toBe(true);
});

test('stores keys as hashes', async () => {
  const { ours, provider } = await openTestProvider();

  const rows = await provider.query.selectFrom('api_keys').selectAll().execute();

  expect(rows).toHaveLength(2);
  expect(rows.map(({ hash }) => Buffer.from(hash).toString())).not.toContain(ours.key);
  expect(rows.every(({ hash }) => hash.length === 32)).toBe(true);
});
