/** Operations against a real provider in the same process. */
import { expect, expectTypeOf, test } from 'vitest';
import { PortariaError } from '../../src/kernel/errors.ts';
import type { Endpoint, Part } from '../../src/contract/api/endpoint.ts';
import type { endpoints } from '../../src/contract/api/endpoints.ts';
import { pagingOf } from '../../src/client/pages.ts';
import { addCharge } from '../../provider/charges/change-charge.ts';
import { allRoutes } from '../../provider/http/all-routes.ts';
import { company } from '../../provider/test/kit/people.ts';
import { type Json } from '../../provider/test/kit/test-provider.ts';
import { namedEndpoints } from './named-endpoints.ts';
import { respond, collected, openClientSetup, rejection, scripted } from './client-setup.ts';

test('the client has every endpoint of the provider', () => {
  const served = allRoutes.map(({ endpoint }) => endpoint.operationId).sort();

  expect(namedEndpoints.map(([, { operationId }]) => operationId).sort()).toEqual(served);
});

test('the endpoints cover every part of the specification', () => {
  type PartsIn<Tree> = {
    [Name in keyof Tree]: Tree[Name] extends Endpoint ? Tree[Name]['part'] : PartsIn<Tree[Name]>;
  }[keyof Tree];

  expectTypeOf<PartsIn<typeof endpoints>>().toEqualTypeOf<Part>();
});

test('every paged list is called list, and has an operation for all of its pages beside it', async () => {
  const { client } = await openClientSetup();
  const paged = namedEndpoints.filter(([, endpoint]) => pagingOf(endpoint) !== null).map(([name]) => name);

  expect(paged.length).toBeGreaterThan(5);
  for (const name of paged) {
    const [last, ...above] = name.split('.').reverse();
    const siblings = above.reverse().reduce((tree, part) => tree[part] as Json, client as unknown as Json);
    expect([last, typeof siblings['all']], name).toEqual(['list', 'function']);
  }
});

test('an action has one verb wherever it occurs', () => {
  const verbs = new Set(namedEndpoints.map(([name]) => name.split('.').at(-1) ?? ''));

  // A verb says nothing about the resource, which is before it.
  for (const verb of verbs)
    expect(verb).toMatch(
      /^(list|listOf|read|readFile|readDocument|create|update|remove|request|cancel|signUp|signIn|activate|deactivate|store|stream)$/,
    );
  const requests = namedEndpoints.filter(([, { operationId }]) => operationId.startsWith('request'));
  expect(requests.map(([name]) => name)).toEqual([
    'trafficViolations.tickets.request',
    'anttViolations.tickets.request',
    'charges.paymentSlips.request',
  ]);
});

test('a record is created, changed, read and listed, without the `data` wrapper', async () => {
  const { client, drifts } = await openClientSetup();

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

test('all records of all pages', async () => {
  const { client, provider, ours } = await openClientSetup();
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

test('a page is requested when the one before is used up, and not earlier', async () => {
  const page = (...ids: number[]) =>
    respond(200, { data: ids.map((id) => ({ id, status: 'active' })), total: 9 });
  const { client, requests } = scripted([page(1, 2), page(3, 4)]);
  const requestCounts: number[] = [];

  const users = client.users.all({ size: 2 });
  expect(requests).toHaveLength(0);
  for await (const user of users) {
    requestCounts.push(requests.length);
    if (user.id === 3) break;
  }

  expect(requestCounts).toEqual([1, 1, 2]);
});

test('records of another organization are not visible', async () => {
  const { client, foreign } = await openClientSetup();
  const { id } = await client.companies.create(company);

  expect(await rejection(foreign.companies.read(id))).toMatchObject({ code: 'not-found' });
  expect(await collected(foreign.companies.all())).toEqual([]);
});

test.each([
  ['a field', { colour: { $eq: 'red' } }, /unknown filter: colour; the list has name \(\$eq/],
  ['an operator', { tax_id: { $ne: '1' } }, /unknown filter: tax_id\.\$ne/],
  ['a nested field', { sne: { colour: { $eq: 'red' } } }, /unknown filter: sne\.colour/],
  ['a condition', { name: 'Serra' }, /unknown filter: name/],
  ['a value', { name: { $eq: ['a', 'b'] } }, /unknown filter: name\.\$eq/],
])('%s that the list does not support is an error', async (_, filters, message) => {
  const { client } = await openClientSetup();

  const error = await rejection(client.companies.list({ filters: filters as object }));

  expect(PortariaError.is(error, 'invalid-argument')).toBe(true);
  expect(error).toHaveProperty('message', expect.stringMatching(message));
});

test.each([
  [
    'a parameter that the list does not have',
    { colour: 1 },
    'listCompanies: unknown query parameter: colour',
  ],
  [
    'a parameter that is an object',
    { size: {} },
    'listCompanies: query parameter size must be a string, number or boolean',
  ],
])('%s is an error', async (_, query, message) => {
  const { client } = await openClientSetup();

  expect(await rejection(client.companies.list(query as object))).toMatchObject({
    code: 'invalid-argument',
    message,
  });
});

test.each([NaN, -1, 1.5, undefined as never])('%s is not a valid id', async (id) => {
  const { client } = await openClientSetup();

  expect(await rejection(client.companies.read(id))).toMatchObject({ code: 'invalid-argument' });
});

test.each(['', '.', '..'])('an id cannot change the path: %j', async (id) => {
  const { client } = await openClientSetup();

  expect(await rejection(client.consoleUsers.remove(id))).toMatchObject({ code: 'invalid-argument' });
});

test('an id with special characters is one segment of the path', async () => {
  const { client } = await openClientSetup();

  expect(await rejection(client.consoleUsers.read('../users?a#b'))).toMatchObject({
    code: 'not-found',
    detail: 'Console user with id ../users?a#b not found',
  });
});
