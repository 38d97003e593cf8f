/** Every operation against the provider itself, in the same process. */
import { expect, expectTypeOf, test } from 'vitest';
import { PortariaError } from '../../src/kernel/errors.ts';
import type { Endpoint, Part } from '../../src/contract/api/endpoint.ts';
import { parts } from '../../src/contract/api/parts.ts';
import { pagingOf } from '../../src/client/paging.ts';
import { addTrafficViolation } from '../../provider/traffic-violations/change-traffic-violation.ts';
import { addCharge } from '../../provider/charges/change-charge.ts';
import { allRoutes } from '../../provider/http/all-routes.ts';
import { cnpjs, company, user } from '../../provider/test/people.ts';
import { loggedIn, TODAY } from '../../provider/test/test-provider.ts';
import { speeding } from '../../provider/test/violation-setup.ts';
import { answer, collected, openClientWorld, rejection, scripted } from './client-world.ts';

const declared: readonly (readonly [string, Endpoint])[] = Object.values(parts).flatMap((endpoints) =>
  Object.entries<Endpoint>(endpoints),
);

test('the client has every endpoint that the provider has', () => {
  const served = allRoutes.map(({ endpoint }) => endpoint.operationId).sort();

  expect(declared.map(([, { operationId }]) => operationId).sort()).toEqual(served);
});

test('no part of the specification is left out', () => {
  type Declared = { [Name in keyof typeof parts]: (typeof parts)[Name][keyof (typeof parts)[Name]] };

  expectTypeOf<(Declared[keyof Declared] & Endpoint)['part']>().toEqualTypeOf<Part>();
});

test('every list of pages is named so that there is a name for all of its pages', async () => {
  const { client } = await openClientWorld();
  const operations = new Set(Object.values(client).flatMap((part) => Object.keys(part)));
  const paged = declared.filter(([, endpoint]) => pagingOf(endpoint) !== null).map(([name]) => name);

  expect(paged.length).toBeGreaterThan(5);
  expect(paged.filter((name) => !name.startsWith('list'))).toEqual([]);
  for (const name of paged) expect(operations).toContain(name.replace('list', 'all'));
});

test('a record is added, changed, read and found, without the data around it', async () => {
  const { client, drifts } = await openClientWorld();

  const added = await client.companies.create({ ...company, external_uid: 'matriz' });
  const changed = await client.companies.update(added.id, { name: 'Serra Azul' });
  const read = await client.companies.read(added.id);
  const page = await client.companies.list({
    filters: { name: { $startsWith: 'Serra' }, sne: { status: { $eq: 'unknown' } } },
    page: 1,
    size: 10,
  });

  expect(changed).toMatchObject({ id: added.id, name: 'Serra Azul', external_uid: 'matriz' });
  expect(read).toMatchObject({ ...changed, certificate: { status: 'not_provided' } });
  expect(page).toEqual({ data: [read], pagination: { page: 1, size: 10 }, total: 1 });
  expect(await client.companies.list({ filters: { external_uid: { $ne: 'matriz' } } })).toMatchObject({
    data: [],
    total: 0,
  });
  expect(drifts).toEqual([]);
});

test('answers that are flat, that are messages, and that are lists below a record', async () => {
  const world = await openClientWorld();
  const { client, provider, ours } = world;
  const { id } = await client.companies.create(company);
  const signedIn = await client.consoleUsers.signIn({
    email: 'gestora@example.com',
    companies: [{ tax_id: company.tax_id }],
  });
  const { data } = await client.consoleUsers.list({ filters: { email: { $contains: 'gestora' } } });
  const consoleUser = data[0]?.id ?? '';
  const charge = await provider.change(ours.organization, (change) =>
    addCharge(change, { company_id: id, type: 'fee', status: 'pending', due_date: '2026-03-31' }),
  );
  const slip = await client.charges.requestSlip(charge.id);

  expect(signedIn.redirect_url).toContain(signedIn.token);
  expect(await client.consoleUsers.read(consoleUser)).toMatchObject({ email: 'gestora@example.com' });
  expect(await client.consoleUsers.listCompanies(consoleUser, { size: 5 })).toMatchObject({
    data: [{ tax_id: company.tax_id }],
  });
  expect(await client.charges.listSlipsOfCharge(charge.id)).toMatchObject([
    { id: slip.id, status: 'pending' },
  ]);
  // A DELETE with a body, and one without.
  expect(await client.consoleUsers.removeCompanies(consoleUser, { companies: [cnpjs[0]] })).toHaveProperty(
    'message',
  );
  expect(await client.consoleUsers.remove(consoleUser)).toHaveProperty('message');
  expect(world.drifts).toEqual([]);
});

test('moves without a body', async () => {
  const world = await openClientWorld();
  const { client } = world;
  const { id } = await client.users.create({ ...user, phone: '+5511987654321' });
  await loggedIn(world, 'user', id);

  expect(await client.users.signUpForSne(id)).toEqual({ status: 'pending', sign_up_date: TODAY });
  expect(await client.users.deactivate(id)).toEqual({ status: 'inactive' });
  expect(await client.users.activate(id)).toEqual({ status: 'active' });
  expect(await client.users.remove(id)).toHaveProperty('message');
  expect(world.drifts).toEqual([]);
});

test('a body that may be left out', async () => {
  const { client, provider, ours, drifts } = await openClientWorld();
  const { id } = await provider.change(ours.organization, (change) => addTrafficViolation(change, speeding));

  const requested = await client.violationTickets.request(id);

  expect(requested).toEqual({ id: 1, status: 'pending' });
  expect(await client.violationTickets.read(requested.id)).toMatchObject({ discount: 'none' });
  expect(await client.violationTickets.listOfViolation(id)).toMatchObject([requested]);
  expect(drifts).toEqual([]);
});

test('all records of all pages, in as many requests as there are pages', async () => {
  const { client, provider, ours } = await openClientWorld();
  const { id } = await client.companies.create({ ...company, external_uid: 'matriz' });
  for (let charge = 1; charge <= 7; charge += 1)
    await provider.change(ours.organization, (change) =>
      addCharge(change, { company_id: id, type: 'fee', status: charge % 2 === 0 ? 'paid' : 'pending' }),
    );

  const all = await collected(client.charges.all({ size: 3 }));
  const paid = await collected(
    client.charges.all({
      filters: { status: { $eq: 'paid' }, company: { external_uid: { $eq: 'matriz' } } },
    }),
  );

  expect(all.map((charge) => charge.id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(paid.map((charge) => charge.status)).toEqual(['paid', 'paid', 'paid']);
  expect(await collected(client.users.all())).toEqual([]);
});

test('a page is asked for when the one before is used up, and not sooner', async () => {
  const page = (...ids: number[]) =>
    answer(200, { data: ids.map((id) => ({ id, status: 'active' })), total: 9 });
  const { client, requests } = scripted([page(1, 2), page(3, 4)]);
  const asked: number[] = [];

  const users = client.users.all({ size: 2 });
  expect(requests).toHaveLength(0);
  for await (const user of users) {
    asked.push(requests.length);
    if (user.id === 3) break;
  }

  expect(asked).toEqual([1, 1, 2]);
});

test("another organization's records are not there", async () => {
  const { client, foreign } = await openClientWorld();
  const { id } = await client.companies.create(company);

  expect(await rejection(foreign.companies.read(id))).toMatchObject({ code: 'not-found' });
  expect(await collected(foreign.companies.all())).toEqual([]);
});

test.each([
  ['a field', { colour: { $eq: 'red' } }, /no such filter: colour; it takes name \(\$eq/],
  ['an operator', { tax_id: { $ne: '1' } }, /no such filter: tax_id\.\$ne/],
  ['a field within', { sne: { colour: { $eq: 'red' } } }, /no such filter: sne\.colour/],
  ['a condition', { name: 'Serra' }, /no such filter: name/],
  ['a value', { name: { $eq: ['a', 'b'] } }, /no such filter: name\.\$eq/],
])('%s that the list does not take is refused before it could be ignored', async (_, filters, message) => {
  const { client } = await openClientWorld();

  const error = await rejection(client.companies.list({ filters: filters as object }));

  expect(PortariaError.is(error, 'invalid-argument')).toBe(true);
  expect(error).toHaveProperty('message', expect.stringMatching(message));
});

test.each([NaN, -1, 1.5, undefined as never])('%s is no id', async (id) => {
  const { client } = await openClientWorld();

  expect(await rejection(client.companies.read(id))).toMatchObject({ code: 'invalid-argument' });
});

test.each(['', '.', '..'])('an id cannot lead elsewhere: %j', async (id) => {
  const { client } = await openClientWorld();

  expect(await rejection(client.consoleUsers.remove(id))).toMatchObject({ code: 'invalid-argument' });
});

test('an id is a segment of the path, whatever is in it', async () => {
  const { client } = await openClientWorld();

  expect(await rejection(client.consoleUsers.read('../users?a#b'))).toMatchObject({
    code: 'not-found',
    detail: 'Console user with id ../users?a#b not found',
  });
});
