/** Calls every operation once, and checks its response against the contract. A new operation that is missing here does not compile. */
import { expect, test } from 'vitest';
import type { endpoints } from '../../src/contract/api/endpoints.ts';
import { registerLicense } from '../../provider/driver-licenses/change-driver-license.ts';
import { completeSneRequest } from '../../provider/sne/complete-sne-request.ts';
import { cnpjs, company, cpfs, user } from '../../provider/test/people.ts';
import { form } from '../../provider/test/indication-setup.ts';
import { collected } from './client-setup.ts';
import { certificate, openFullSetup, type FullSetup } from './full-setup.ts';

/** An operation, and the fields that its result must have. */
type Call = readonly [call: (setup: FullSetup) => Promise<unknown>, expected: unknown];
type Calls = {
  readonly [Part in keyof typeof endpoints]: { readonly [Name in keyof (typeof endpoints)[Part]]: Call };
};

const page = (total: number) => ({ total, data: Array(total).fill(expect.anything()) });
const address = expect.stringMatching(/^http:\/\/provider\.example\/files\/.*\.pdf\?/);
const message = { message: expect.any(String) };
const pending = { id: expect.any(Number), status: 'pending' };

const calls: Calls = {
  companies: {
    list: [({ client }) => client.companies.list(), page(1)],
    read: [
      ({ client, ids }) => client.companies.read(ids.company),
      { ...company, login: { connected: true } },
    ],
    create: [
      ({ client }) => client.companies.create({ name: 'Filial', tax_id: cnpjs[1] }),
      { name: 'Filial' },
    ],
    update: [
      ({ client, ids }) => client.companies.update(ids.company, { name: 'Matriz' }),
      { name: 'Matriz' },
    ],
    signUpForSne: [({ client, ids }) => client.companies.signUpForSne(ids.company), { status: 'pending' }],
    cancelSne: [
      async ({ client, ids, change }) => {
        await client.companies.signUpForSne(ids.company);
        await change((each) => completeSneRequest(each, 'company', ids.company, 'active'));
        return client.companies.cancelSne(ids.company);
      },
      { status: 'canceling' },
    ],
    storeCertificate: [
      ({ client, ids }) =>
        client.companies.storeCertificate(ids.company, { certificate, password: 'segredo' }),
      { status: 'valid', expiration_date: '2027-11-21' },
    ],
    removeCertificate: [
      ({ client, ids }) => client.companies.removeCertificate(ids.company),
      { status: 'not_provided' },
    ],
    streamSync: [
      async ({ client, ids }) => {
        for await (const event of client.companies.streamSync(ids.company)) return event;
        return null;
      },
      { event: 'progress', data: { totals: { completed: 0 } } },
    ],
    readSync: [({ client, ids }) => client.companies.readSync(ids.company), { totals: { completed: 0 } }],
  },
  users: {
    list: [({ client }) => client.users.list({ filters: { login: { connected: { $eq: true } } } }), page(1)],
    read: [({ client, ids }) => client.users.read(ids.user), user],
    readDriverLicense: [
      ({ client, ids }) => client.users.readDriverLicense(ids.user),
      { license: '01234567890', points: { value: 7 } },
    ],
    create: [({ client }) => client.users.create({ name: 'Ana', tax_id: cpfs[1] }), { name: 'Ana' }],
    update: [
      ({ client, ids }) => client.users.update(ids.user, { email: 'bia@example.com' }),
      { email: 'bia@example.com' },
    ],
    remove: [({ client, ids }) => client.users.remove(ids.user), message],
    signUpForSne: [({ client, ids }) => client.users.signUpForSne(ids.user), { status: 'pending' }],
    cancelSne: [
      async ({ client, ids, change }) => {
        await client.users.signUpForSne(ids.user);
        await change((each) => completeSneRequest(each, 'user', ids.user, 'active'));
        return client.users.cancelSne(ids.user);
      },
      { status: 'canceling' },
    ],
    activate: [({ client, ids }) => client.users.activate(ids.user), { status: 'active' }],
    deactivate: [({ client, ids }) => client.users.deactivate(ids.user), { status: 'inactive' }],
  },
  consoleUsers: {
    list: [({ client }) => client.consoleUsers.list({ filters: { email: { $contains: 'gest' } } }), page(1)],
    read: [({ client, ids }) => client.consoleUsers.read(ids.consoleUser), { email: 'gestora@example.com' }],
    listCompanies: [({ client, ids }) => client.consoleUsers.listCompanies(ids.consoleUser), page(1)],
    signIn: [
      ({ client }) =>
        client.consoleUsers.signIn({ email: 'a@example.com', companies: [{ tax_id: company.tax_id }] }),
      { token: expect.any(String), redirect_url: expect.any(String) },
    ],
    removeCompanies: [
      ({ client, ids }) =>
        client.consoleUsers.removeCompanies(ids.consoleUser, { companies: [company.tax_id] }),
      message,
    ],
    remove: [({ client, ids }) => client.consoleUsers.remove(ids.consoleUser), message],
  },
  widgetUsers: {
    signIn: [
      ({ client, ours }) =>
        client.widgetUsers.signIn({ widget_uid: ours.widget, external_uid: 'motorista-1' }),
      { redirect_url: expect.any(String) },
    ],
  },
  trafficViolations: {
    list: [
      ({ client, ids }) =>
        client.trafficViolations.list({
          filters: { company: { id: { $eq: ids.company } }, date: { $lt: '2026-03-01' } },
        }),
      page(2),
    ],
    read: [({ client, ids }) => client.trafficViolations.read(ids.violation), { ait: '5A47210983' }],
    readViolationNotice: [
      ({ client, ids }) => client.trafficViolations.readViolationNotice(ids.violation),
      address,
    ],
    readPenaltyNotice: [
      ({ client, ids }) => client.trafficViolations.readPenaltyNotice(ids.violation),
      address,
    ],
  },
  violationTickets: {
    list: [({ client }) => client.violationTickets.list({ filters: { status: { $eq: 'issued' } } }), page(1)],
    read: [({ client, ids }) => client.violationTickets.read(ids.violationTicket), { status: 'issued' }],
    readFile: [({ client, ids }) => client.violationTickets.readFile(ids.violationTicket), address],
    listOfViolation: [
      ({ client, ids }) => client.violationTickets.listOfViolation(ids.violation),
      [{ status: 'issued', payment_method: 'pix' }],
    ],
    request: [
      ({ client, ids }) => client.violationTickets.request(ids.otherViolation, { discount: 'partial' }),
      pending,
    ],
  },
  indications: {
    listOfViolation: [
      ({ client, ids }) => client.indications.listOfViolation(ids.violation),
      [{ flow: 'form', status: 'pending' }],
    ],
    read: [
      ({ client, ids }) => client.indications.read(ids.violation, ids.indication),
      { tax_id: form.tax_id },
    ],
    create: [
      ({ client, ids }) => client.indications.create(ids.otherViolation, { tax_id: cpfs[2] }),
      pending,
    ],
    cancel: [
      async ({ client, ids }) => {
        const nothing = await client.indications.cancel(ids.violation, ids.indication);
        return [nothing, await client.indications.read(ids.violation, ids.indication)];
      },
      [undefined, { status: 'canceled' }],
    ],
    readDocument: [
      ({ client, ids }) => client.indications.readDocument(ids.violation, ids.indication),
      { document_status: 'pending', document: { signers: [{ status: 'pending' }] } },
    ],
  },
  anttViolations: {
    listTickets: [({ client }) => client.anttViolations.listTickets(), page(1)],
    readTicket: [({ client, ids }) => client.anttViolations.readTicket(ids.anttTicket), pending],
    list: [({ client }) => client.anttViolations.list({ filters: { type: { $eq: 'rntrc' } } }), page(2)],
    read: [({ client, ids }) => client.anttViolations.read(ids.antt), { type: 'rntrc' }],
    listTicketsOfViolation: [
      ({ client, ids }) => client.anttViolations.listTicketsOfViolation(ids.antt),
      [pending],
    ],
    requestTicket: [({ client, ids }) => client.anttViolations.requestTicket(ids.otherAntt), pending],
  },
  charges: {
    listSlips: [
      ({ client }) => client.charges.listSlips({ filters: { due_date: { $gt: '2026-01-01' } } }),
      page(1),
    ],
    list: [({ client }) => client.charges.list({ filters: { type: { $eq: 'fee' } } }), page(2)],
    read: [({ client, ids }) => client.charges.read(ids.charge), { type: 'fee' }],
    listSlipsOfCharge: [({ client, ids }) => client.charges.listSlipsOfCharge(ids.charge), [pending]],
    requestSlip: [({ client, ids }) => client.charges.requestSlip(ids.otherCharge), pending],
  },
  driverLicenses: {
    list: [({ client }) => client.driverLicenses.list(), page(1)],
    read: [({ client, ids }) => client.driverLicenses.read(ids.driver), { tax_id: cpfs[0] }],
    createDriver: [
      async ({ client, change }) => {
        await change((each) => registerLicense(each, { tax_id: cpfs[2], status: 'Válida' }));
        return client.driverLicenses.createDriver({ tax_id: cpfs[2] });
      },
      { tax_id: cpfs[2] },
    ],
  },
  appeals: {
    list: [({ client }) => client.appeals.list({ status: 'pending' }), page(1)],
    read: [({ client, ids }) => client.appeals.read(ids.appeal), { reference_object_id: 31 }],
    create: [
      ({ client, ids }) =>
        client.appeals.create({ user_id: ids.driver, object_id: 32, object_type: 'procedure' }),
      { user_id: expect.any(Number), status: 'pending' },
    ],
  },
};

const named = Object.entries(calls).flatMap(([part, operations]) =>
  Object.entries<Call>(operations).map(([name, call]) => [`${part}.${name}`, ...call] as const),
);

test.each(named)('%s', async (_, call, expected) => {
  const setup = await openFullSetup();

  const result = await call(setup);

  if (typeof expected === 'object' && expected !== null && !('asymmetricMatch' in expected))
    expect(result).toMatchObject(expected);
  else expect(result).toEqual(expected);
  expect(setup.drifts).toEqual([]);
});

test('a page of every list has the same records as all of its pages', async () => {
  const { client, ids, drifts } = await openFullSetup();
  const lists = [
    [client.companies.list(), client.companies.all({ size: 1 })],
    [client.users.list(), client.users.all({ size: 1 })],
    [client.consoleUsers.list(), client.consoleUsers.all({ size: 1 })],
    [
      client.consoleUsers.listCompanies(ids.consoleUser),
      client.consoleUsers.allCompanies(ids.consoleUser, { size: 1 }),
    ],
    [client.trafficViolations.list(), client.trafficViolations.all({ size: 1 })],
    [client.violationTickets.list(), client.violationTickets.all({ size: 1 })],
    [client.anttViolations.list(), client.anttViolations.all({ size: 1 })],
    [client.anttViolations.listTickets(), client.anttViolations.allTickets({ size: 1 })],
    [client.charges.list(), client.charges.all({ size: 1 })],
    [client.charges.listSlips(), client.charges.allSlips({ size: 1 })],
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
