/** Responses of the provider's API that differ from the contract. */
import { expect, test } from 'vitest';
import { respond, collected, scripted } from './client-setup.ts';

const company = { id: 12, name: 'Serra Azul', tax_id: '11222333000181' };

test('a mismatch with the contract is reported by path, and the data is returned unchanged', async () => {
  const strange = { ...company, tax_id: 'é segredo', sne: { status: 'sleeping' }, fleet: 'new' };
  const { client, finish, drifts } = scripted([respond(200, { data: strange })]);

  expect(await finish(client.companies.read(12))).toEqual(strange);
  expect(drifts).toEqual([
    {
      operation: 'readCompany',
      issues: [
        {
          path: 'response.data.tax_id',
          message: 'expected a CNPJ (12 digits or capital letters, then 2 digits), received another string',
        },
        {
          path: 'response.data.sne.status',
          message: expect.stringMatching(/^expected one of "active", .*, received "sleeping"$/),
        },
      ],
    },
  ]);
  expect(JSON.stringify(drifts)).not.toMatch(/segredo/);
});

test('a page is returned whole, with one report of at most 20 mismatches', async () => {
  const data = Array.from({ length: 30 }, (_, index) => ({ ...company, id: String(index) }));
  const page = { data, pagination: { page: 1, size: 30 }, total: '30' };
  const { client, finish, drifts } = scripted([respond(200, page)]);

  expect(await finish(client.companies.list())).toEqual(page);
  expect(drifts).toHaveLength(1);
  expect(drifts[0]?.issues).toHaveLength(20);
  expect(drifts[0]?.issues[3]?.path).toBe('response.data[3].id');
});

test('iterating over all pages ends without a readable total', async () => {
  const page = (...data: object[]) => respond(200, { data });
  const { client, finish, requests } = scripted([page(company, company), page(company), page()]);

  expect(await finish(collected(client.companies.all({ size: 2 })))).toHaveLength(3);
  expect(requests).toHaveLength(3);
});

test('a list with smaller pages than requested is read to the end', async () => {
  const page = (...ids: number[]) => respond(200, { data: ids.map((id) => ({ ...company, id })), total: 5 });
  const { client, finish, requests } = scripted([page(1, 2), page(3, 4), page(5)]);

  const all = await finish(collected(client.companies.all()));

  expect(all.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  expect(requests.map(({ url }) => new URL(url).searchParams.get('pagination[size]'))).toEqual([
    '100',
    '100',
    '100',
  ]);
});

test('a success status other than the declared one is drift', async () => {
  const { client, finish, drifts } = scripted([respond(200, { data: company })]);

  await finish(client.companies.create({ name: 'A', tax_id: '11222333000181' }));

  expect(drifts).toEqual([
    { operation: 'createCompany', issues: [{ path: 'status', message: 'expected 201, received 200' }] },
  ]);
});

test('unknown fields are kept and are not drift', async () => {
  const { client, finish, drifts } = scripted([respond(200, { data: { ...company, fleet: 3 }, meta: {} })]);

  expect(await finish(client.companies.read(12))).toHaveProperty('fleet', 3);
  expect(drifts).toEqual([]);
});
