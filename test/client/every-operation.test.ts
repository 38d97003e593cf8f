/** Calls every operation once, and checks its response against the contract. A new operation that is missing here does not compile. */
import { expect, test } from 'vitest';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import type { endpoints } from '../../src/contract/api/endpoints.ts';
import { registerLicense } from '../../provider/driver-licenses/change-driver-license.ts';
import { completeSneRequest } from '../../provider/sne/complete-sne-request.ts';
import { cnpjs, company, cpfs, user } from '../../provider/test/kit/people.ts';
import { form } from '../../provider/test/kit/indication-setup.ts';
import { collected } from './client-setup.ts';
import { certificate, openFullSetup, type FullSetup } from './full-setup.ts';

/** An operation, and the fields that its result must have. */
type Call = readonly [call: (setup: FullSetup) => Promise<unknown>, expected: unknown];
type Calls = Readonly<Record<NamesIn<typeof endpoints>, Call>>;

/** The names of operations, as in `charges.paymentSlips.request`. */
type NamesIn<Tree> = {
  [Name in keyof Tree & string]: Tree[Name] extends Endpoint ? Name : `${Name}.${NamesIn<Tree[Name]>}`;
}[keyof Tree & string];

const page = (total: number) => ({ total, data: Array(total).fill(expect.anything()) });
const address = expect.stringMatching(/^http:\/\/provider\.example\/files\/.*\.pdf\?/);
const message = { message: expect.any(String) };
const pending = { id: expect.any(Number), status: 'pending' };

const calls: Calls = {
  'companies.list': [({ client }) => client.companies.list(), page(1)],
  'companies.read': [
    ({ client, ids }) => client.companies.read(ids.company),
    { ...company, login: { connected: true } },
  ],
  'companies.create': [
    ({ client }) => client.companies.create({ name: 'Filial', tax_id: cnpjs[1] }),
    { name: 'Filial' },
  ],
  'companies.update': [
    ({ client, ids }) => client.companies.update(ids.company, { name: 'Matriz' }),
    { name: 'Matriz' },
  ],
  'companies.sne.signUp': [
    ({ client, ids }) => client.companies.sne.signUp(ids.company),
    { status: 'pending' },
  ],
  'companies.sne.cancel': [
    async ({ client, ids, change }) => {
      await client.companies.sne.signUp(ids.company);
      await change((each) => completeSneRequest(each, 'company', ids.company, 'active'));
      return client.companies.sne.cancel(ids.company);
    },
    { status: 'canceling' },
  ],
  'companies.certificate.store': [
    ({ client, ids }) =>
      client.companies.certificate.store(ids.company, { certificate, password: 'segredo' }),
    { status: 'valid', expiration_date: '2027-11-21' },
  ],
  'companies.certificate.remove': [
    ({ client, ids }) => client.companies.certificate.remove(ids.company),
    { status: 'not_provided' },
  ],
  'companies.sync.stream': [
    async ({ client, ids }) => {
      for await (const event of client.companies.sync.stream(ids.company)) return event;
      return null;
    },
    { event: 'progress', data: { totals: { completed: 0 } } },
  ],
  'companies.sync.read': [
    ({ client, ids }) => client.companies.sync.read(ids.company),
    { totals: { completed: 0 } },
  ],
  'users.list': [
    ({ client }) => client.users.list({ filters: { login: { connected: { $eq: true } } } }),
    page(1),
  ],
  'users.read': [({ client, ids }) => client.users.read(ids.user), user],
  'users.driverLicense.read': [
    ({ client, ids }) => client.users.driverLicense.read(ids.user),
    { license: '01234567890', points: { value: 7 } },
  ],
  'users.create': [({ client }) => client.users.create({ name: 'Ana', tax_id: cpfs[1] }), { name: 'Ana' }],
  'users.update': [
    ({ client, ids }) => client.users.update(ids.user, { email: 'bia@example.com' }),
    { email: 'bia@example.com' },
  ],
  'users.remove': [({ client, ids }) => client.users.remove(ids.user), message],
  'users.sne.signUp': [({ client, ids }) => client.users.sne.signUp(ids.user), { status: 'pending' }],
  'users.sne.cancel': [
    async ({ client, ids, change }) => {
      await client.users.sne.signUp(ids.user);
      await change((each) => completeSneRequest(each, 'user', ids.user, 'active'));
      return client.users.sne.cancel(ids.user);
    },
    { status: 'canceling' },
  ],
  'users.activate': [({ client, ids }) => client.users.activate(ids.user), { status: 'active' }],
  'users.deactivate': [({ client, ids }) => client.users.deactivate(ids.user), { status: 'inactive' }],
  'consoleUsers.list': [
    ({ client }) => client.consoleUsers.list({ filters: { email: { $contains: 'gest' } } }),
    page(1),
  ],
  'consoleUsers.read': [
    ({ client, ids }) => client.consoleUsers.read(ids.consoleUser),
    { email: 'gestora@example.com' },
  ],
  'consoleUsers.companies.list': [
    ({ client, ids }) => client.consoleUsers.companies.list(ids.consoleUser),
    page(1),
  ],
  'consoleUsers.signIn': [
    ({ client }) =>
      client.consoleUsers.signIn({ email: 'a@example.com', companies: [{ tax_id: company.tax_id }] }),
    { token: expect.any(String), redirect_url: expect.any(String) },
  ],
  'consoleUsers.companies.remove': [
    ({ client, ids }) =>
      client.consoleUsers.companies.remove(ids.consoleUser, { companies: [company.tax_id] }),
    message,
  ],
  'consoleUsers.remove': [({ client, ids }) => client.consoleUsers.remove(ids.consoleUser), message],
  'widgetUsers.signIn': [
    ({ client, ours }) => client.widgetUsers.signIn({ widget_uid: ours.widget, external_uid: 'motorista-1' }),
    { redirect_url: expect.any(String) },
  ],
  'trafficViolations.list': [
    ({ client, ids }) =>
      client.trafficViolations.list({
        filters: { company: { id: { $eq: ids.company } }, date: { $lt: '2026-03-01' } },
      }),
    page(2),
  ],
  'trafficViolations.read': [
    ({ client, ids }) => client.trafficViolations.read(ids.violation),
    { ait: '5A47210983' },
  ],
  'trafficViolations.violationNotice.read': [
    ({ client, ids }) => client.trafficViolations.violationNotice.read(ids.violation),
    address,
  ],
  'trafficViolations.penaltyNotice.read': [
    ({ client, ids }) => client.trafficViolations.penaltyNotice.read(ids.violation),
    address,
  ],
  'trafficViolations.tickets.list': [
    ({ client }) => client.trafficViolations.tickets.list({ filters: { status: { $eq: 'issued' } } }),
    page(1),
  ],
  'trafficViolations.tickets.read': [
    ({ client, ids }) => client.trafficViolations.tickets.read(ids.violationTicket),
    { status: 'issued' },
  ],
  'trafficViolations.tickets.readFile': [
    ({ client, ids }) => client.trafficViolations.tickets.readFile(ids.violationTicket),
    address,
  ],
  'trafficViolations.tickets.listOf': [
    ({ client, ids }) => client.trafficViolations.tickets.listOf(ids.violation),
    [{ status: 'issued', payment_method: 'pix' }],
  ],
  'trafficViolations.tickets.request': [
    ({ client, ids }) =>
      client.trafficViolations.tickets.request(ids.otherViolation, { discount: 'partial' }),
    pending,
  ],
  'trafficViolations.indications.listOf': [
    ({ client, ids }) => client.trafficViolations.indications.listOf(ids.violation),
    [{ flow: 'form', status: 'pending' }],
  ],
  'trafficViolations.indications.read': [
    ({ client, ids }) => client.trafficViolations.indications.read(ids.violation, ids.indication),
    { tax_id: form.tax_id },
  ],
  'trafficViolations.indications.create': [
    ({ client, ids }) => client.trafficViolations.indications.create(ids.otherViolation, { tax_id: cpfs[2] }),
    pending,
  ],
  'trafficViolations.indications.cancel': [
    async ({ client, ids }) => {
      const nothing = await client.trafficViolations.indications.cancel(ids.violation, ids.indication);
      return [nothing, await client.trafficViolations.indications.read(ids.violation, ids.indication)];
    },
    [undefined, { status: 'canceled' }],
  ],
  'trafficViolations.indications.readDocument': [
    ({ client, ids }) => client.trafficViolations.indications.readDocument(ids.violation, ids.indication),
    { document_status: 'pending', document: { signers: [{ status: 'pending' }] } },
  ],
  'anttViolations.tickets.list': [({ client }) => client.anttViolations.tickets.list(), page(1)],
  'anttViolations.tickets.read': [
    ({ client, ids }) => client.anttViolations.tickets.read(ids.anttTicket),
    pending,
  ],
  'anttViolations.list': [
    ({ client }) => client.anttViolations.list({ filters: { type: { $eq: 'rntrc' } } }),
    page(2),
  ],
  'anttViolations.read': [({ client, ids }) => client.anttViolations.read(ids.antt), { type: 'rntrc' }],
  'anttViolations.tickets.listOf': [
    ({ client, ids }) => client.anttViolations.tickets.listOf(ids.antt),
    [pending],
  ],
  'anttViolations.tickets.request': [
    ({ client, ids }) => client.anttViolations.tickets.request(ids.otherAntt),
    pending,
  ],
  'charges.paymentSlips.list': [
    ({ client }) => client.charges.paymentSlips.list({ filters: { due_date: { $gt: '2026-01-01' } } }),
    page(1),
  ],
  'charges.list': [({ client }) => client.charges.list({ filters: { type: { $eq: 'fee' } } }), page(2)],
  'charges.read': [({ client, ids }) => client.charges.read(ids.charge), { type: 'fee' }],
  'charges.paymentSlips.listOf': [
    ({ client, ids }) => client.charges.paymentSlips.listOf(ids.charge),
    [pending],
  ],
  'charges.paymentSlips.request': [
    ({ client, ids }) => client.charges.paymentSlips.request(ids.otherCharge),
    pending,
  ],
  'driverLicenses.list': [({ client }) => client.driverLicenses.list(), page(1)],
  'driverLicenses.read': [({ client, ids }) => client.driverLicenses.read(ids.driver), { tax_id: cpfs[0] }],
  'drivers.create': [
    async ({ client, change }) => {
      await change((each) => registerLicense(each, { tax_id: cpfs[2], status: 'Válida' }));
      return client.drivers.create({ tax_id: cpfs[2] });
    },
    { tax_id: cpfs[2] },
  ],
  'appeals.list': [({ client }) => client.appeals.list({ status: 'pending' }), page(1)],
  'appeals.read': [({ client, ids }) => client.appeals.read(ids.appeal), { reference_object_id: 31 }],
  'appeals.create': [
    ({ client, ids }) =>
      client.appeals.create({ user_id: ids.driver, object_id: 32, object_type: 'procedure' }),
    { user_id: expect.any(Number), status: 'pending' },
  ],
};

const named = Object.entries<Call>(calls).map(([name, call]) => [name, ...call] as const);

/** These leave the records as they are, so they share an organization. */
const onlyReads = ([name]: (typeof named)[number]) => /\.(list|listOf|read\w*|stream)$/.test(name);

/** So do these, one after the other. */
const onlyAdds = ([name]: (typeof named)[number]) => /\.(create|request|signIn)$/.test(name);

test('every operation that reads', async () => {
  const setup = await openFullSetup();
  for (const operation of named.filter(onlyReads)) await check(setup, ...operation);
});

test('every operation that adds', async () => {
  const setup = await openFullSetup();
  for (const operation of named.filter(onlyAdds)) await check(setup, ...operation);
});

test.each(named.filter((operation) => !onlyReads(operation) && !onlyAdds(operation)))(
  '%s',
  async (...operation) => {
    await check(await openFullSetup(), ...operation);
  },
);

async function check(setup: FullSetup, name: string, ...[call, expected]: Call): Promise<void> {
  const result = await call(setup);

  if (typeof expected === 'object' && expected !== null && !('asymmetricMatch' in expected))
    expect(result, name).toMatchObject(expected);
  else expect(result, name).toEqual(expected);
  expect(setup.drifts, name).toEqual([]);
}

test('a page of every list has the same records as all of its pages', async () => {
  const { client, ids, drifts } = await openFullSetup();
  const lists = [
    [client.companies.list(), client.companies.all({ size: 1 })],
    [client.users.list(), client.users.all({ size: 1 })],
    [client.consoleUsers.list(), client.consoleUsers.all({ size: 1 })],
    [
      client.consoleUsers.companies.list(ids.consoleUser),
      client.consoleUsers.companies.all(ids.consoleUser, { size: 1 }),
    ],
    [client.trafficViolations.list(), client.trafficViolations.all({ size: 1 })],
    [client.trafficViolations.tickets.list(), client.trafficViolations.tickets.all({ size: 1 })],
    [client.anttViolations.list(), client.anttViolations.all({ size: 1 })],
    [client.anttViolations.tickets.list(), client.anttViolations.tickets.all({ size: 1 })],
    [client.charges.list(), client.charges.all({ size: 1 })],
    [client.charges.paymentSlips.list(), client.charges.paymentSlips.all({ size: 1 })],
    [client.driverLicenses.list(), client.driverLicenses.all({ size: 1 })],
    [client.appeals.list(), client.appeals.all({ page_size: 1 })],
  ] as const;

  for (const [list, all] of lists) {
    const { data, total } = await list;
    expect(data).toHaveLength(total);
    expect(total).toBeGreaterThan(0);
    expect(await collected<unknown>(all)).toEqual(data);
  }
  expect(drifts).toEqual([]);
});
