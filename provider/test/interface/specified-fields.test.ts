/** Checks every field of the specification's Resources in a seeded organization. */
import { expect, test } from 'vitest';
import { moveIndication } from '../../indications/change-indication.ts';
import { form } from '../kit/indication-setup.ts';
import { mismatches } from './specification-mismatches.ts';
import { openSeeded } from '../kit/seeded-setup.ts';
import { fieldsOf, type Resource } from '../kit/specification.ts';
import { openWithFixtures } from '../kit/record-fixtures.ts';
import type { Client, Json } from '../kit/test-provider.ts';

/** Returns the records of a response: of a list, one record, or the body itself. */
async function shown(client: Client, path: string): Promise<readonly unknown[]> {
  const { status, body } = await client.get(path);
  expect(status, path).toBe(200);
  const { data = body } = body;
  return [data].flat();
}

async function everyPage(client: Client, path: string): Promise<readonly Json[]> {
  const records: Json[] = [];
  for (let page = 1; ; page += 1) {
    const { rows, body } = await client.get(`${path}?pagination[page]=${String(page)}&pagination[size]=100`);
    records.push(...rows);
    if (rows.length === 0 || records.length === body['total']) return records;
  }
}

const lists = {
  company: '/v1/companies',
  user: '/v1/users',
  'console user': '/v1/console/users',
  'driver license, listed': '/v1/driver-licenses',
  'traffic violation': '/v1/traffic-violations',
  'violation ticket': '/v1/traffic-violations/tickets',
  'ANTT violation': '/v1/antt/violations',
  'ANTT slip': '/v1/antt/violations/tickets',
  charge: '/v1/charges',
  'charge payment slip': '/v1/charges/payment-slips',
} as const satisfies Partial<Record<Resource, string>>;

/** Lists below a record of another list. */
const below = [
  ['user driver license', lists.user, 'drivers-license'],
  ['company of a console user', lists['console user'], 'companies'],
  ['violation ticket, of a violation', lists['traffic violation'], 'tickets'],
  ['indication', lists['traffic violation'], 'indications'],
  ['ANTT slip, of a violation', lists['ANTT violation'], 'tickets'],
  ['charge payment slip, of a charge', lists.charge, 'payment-slips'],
] as const satisfies readonly (readonly [Resource, string, string])[];

test('shows every field in every record, with a value in some', async () => {
  const { ours, provider } = await openSeeded({ companies: 8, violations: 400 });
  // The seed has no indication with every field.
  const open = (await everyPage(ours, '/v1/traffic-violations')).find(
    ({ indication_availability }) => indication_availability === true,
  );
  const { data: indicated } = await ours.post(`/v1/traffic-violations/${String(open?.['id'])}/indications`, {
    ...form,
    requester_phone: '4133330100',
  });
  await provider.change(ours.organization, (change) =>
    moveIndication(change, Number(indicated['id']), 'failed', 'O órgão não respondeu.'),
  );
  const filled = new Set<string>();
  const wrong: string[] = [];
  const look = (resource: Resource, value: unknown) =>
    wrong.push(...mismatches(resource, value, (field) => filled.add(field)));
  const listed = new Map<string, readonly Json[]>();

  for (const [resource, path] of Object.entries(lists) as [keyof typeof lists, string][]) {
    const records = await everyPage(ours, path);
    listed.set(path, records);
    for (const record of records) look(resource, record);
    const one = `${path}/${String(records[0]?.['id'])}`;
    if (resource !== 'charge payment slip')
      for (const record of await shown(ours, one)) {
        const detail = resource === 'driver license, listed' ? 'driver license' : resource;
        look(detail, record);
      }
  }
  for (const [resource, path, end] of below)
    for (const { id } of listed.get(path) ?? []) {
      const { status, body, rows } = await ours.get(`${path}/${String(id)}/${end}`);
      // A link that is inactive, a user without licence.
      if (status === 200)
        for (const record of rows.length > 0 ? rows : [body['data']].flat()) look(resource, record);
      if (end !== 'indications') continue;
      for (const indication of rows.filter(({ flow }) => flow === 'form')) {
        const document = `${path}/${String(id)}/indications/${String(indication['id'])}/document`;
        for (const record of await shown(ours, document)) look('signing document record', record);
      }
    }
  for (const record of await shown(ours, '/v1/appeals')) look('appeal', record);

  expect(wrong).toEqual([]);
  const resources = [...new Set([...filled].map((field) => field.split('.')[0] as Resource))];
  const all = resources.flatMap((resource) => fieldsOf(resource).map((name) => `${resource}.${name}`));
  expect(all.filter((field) => !filled.has(field))).toEqual([]);
});

test('shows every field during an import', async () => {
  const { ours, importing } = await openWithFixtures();
  const filled = new Set<string>();

  const { data } = await ours.get(`/v1/companies/${String(await importing())}/sync/snapshot`);

  expect(mismatches('synchronization snapshot', data, (field) => filled.add(field))).toEqual([]);
  expect(filled.size).toBe(fieldsOf('synchronization snapshot').length + 2 + fieldsOf('counts').length);
});
