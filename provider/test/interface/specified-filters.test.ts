/**
 * Checks every filter of every list: an operator of the specification finds exactly the
 * matching records, and any other is rejected.
 */
import { expect, test } from 'vitest';
import { openSeeded } from '../kit/seeded-setup.ts';
import { specifiedEndpoints } from '../kit/specified-endpoints.ts';
import type { Client, Json } from '../kit/test-provider.ts';

type Value = string | number | boolean;

/** Whether a record with this value matches. */
const operators: Readonly<Record<string, (value: Value | null, wanted: Value) => boolean>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $lt: (value, wanted) => value !== null && value < wanted,
  $lte: (value, wanted) => value !== null && value <= wanted,
  $gt: (value, wanted) => value !== null && value > wanted,
  $gte: (value, wanted) => value !== null && value >= wanted,
  $contains: (value, wanted) => String(value).includes(String(wanted)),
  $startsWith: (value, wanted) => String(value).startsWith(String(wanted)),
  $endsWith: (value, wanted) => String(value).endsWith(String(wanted)),
};

const lists = specifiedEndpoints.flatMap(({ path, filters }) =>
  filters === null ? [] : [[path, filters] as const],
);

const open = () => openSeeded({ companies: 6, violations: 150 });

async function openList(path: string, { ours }: Awaited<ReturnType<typeof open>>) {
  const { rows } = await ours.get('/v1/console/users');
  const at = path.replace('{id}', String(rows[0]?.['id']));
  const records = await all(ours, at);
  const valueOf = await lookUps(ours, path);
  return {
    refuses: async (filter: string) => (await ours.get(`${at}?${filter}`)).status === 400,
    found: async (filter: string) => ids(await all(ours, at, filter)),
    expected: (fits: (record: Json) => boolean) => ids(records.filter((record) => fits(record))),
    values: (field: string) => records.map((record) => valueOf(record, field)),
    valueOf,
  };
}

test('every filter of every list', async () => {
  const seeded = await open();
  for (const [path, filters] of lists) {
    const { refuses, found, expected, values, valueOf } = await openList(path, seeded);
    for (const [field, allowed] of Object.entries(filters)) {
      const some = spread(values(field));
      expect(some.length, `${path}: ${field} has values to look for`).toBeGreaterThan(0);
      for (const [operator, fits] of Object.entries(operators)) {
        const name = `filters[${field.replaceAll('.', '][')}][${operator}]`;
        for (const value of some) {
          const wanted = partFor(operator, value);
          const filter = `${name}=${encodeURIComponent(String(wanted))}`;
          if (allowed.split(' ').includes(operator))
            expect(await found(filter), `${path}?${filter}`).toEqual(
              expected((record) => fits(valueOf(record, field), wanted)),
            );
          else expect(await refuses(filter), `${path}?${filter}`).toBe(true);
        }
      }
    }
  }
});

test('combines filters with and', async () => {
  const { found, expected } = await openList('/v1/traffic-violations', await open());

  const both = await found('filters[status][$ne]=paid&filters[offender_type][$eq]=driver');

  expect(both.length).toBeGreaterThan(0);
  expect(both).toEqual(
    expected(({ status, offender_type }) => status !== 'paid' && offender_type === 'driver'),
  );
});

test('filters dates of violations by the second', async () => {
  const { found, expected, values } = await openList('/v1/traffic-violations', await open());
  const at = String(spread(values('date'))[1]);
  const second = `${at} 12:00:00`;

  for (const operator of ['$lt', '$lte', '$gt', '$gte', '$eq', '$ne'])
    expect(await found(`filters[date][${operator}]=${encodeURIComponent(second)}`)).toEqual(
      expected(({ date }) =>
        Boolean(operators[operator]?.(String(date).slice(0, 19).replace('T', ' '), second)),
      ),
    );
});

/** Returns the value of a filter's field. Some fields are not part of the record. */
async function lookUps(client: Client, path: string): Promise<(record: Json, field: string) => Value | null> {
  const named = async (list: string) => new Map((await all(client, list)).map((one) => [one['id'], one]));
  const companies = await named('/v1/companies');
  const antt = await named('/v1/antt/violations');
  const charges = await named('/v1/charges');
  return (record, field) => {
    if (path === '/v1/traffic-violations' && field === 'date') return String(record['date']).slice(0, 10);
    if (field === 'company.tax_id') return at(companies.get(at(record, 'company.id')) ?? {}, 'tax_id');
    if (path === '/v1/antt/violations/tickets' && field.startsWith('company.'))
      return at(antt.get(at(record, 'antt_violation.id')) ?? {}, field);
    if (path === '/v1/charges/payment-slips' && field === 'agency')
      return at(charges.get(at(record, 'charge.id')) ?? {}, field);
    return at(record, field);
  };
}

function at(record: Json, path: string): Value | null {
  let value: unknown = record;
  for (const name of path.split('.')) value = (value as Json | null)?.[name] ?? null;
  return value as Value | null;
}

/** Returns a sample of the values, over their whole range. */
function spread(values: readonly (Value | null)[]): Value[] {
  const known = [...new Set(values)].filter((value) => value !== null).sort();
  return [...new Set([0, 0.5, 1].map((part) => known[Math.floor(part * (known.length - 1))]))].filter(
    (value) => value !== undefined,
  );
}

/** Returns the filter value that matches a record with this value. */
function partFor(operator: string, value: Value): Value {
  const text = String(value);
  if (operator === '$contains') return text.slice(1, 5);
  if (operator === '$startsWith') return text.slice(0, 3);
  return operator === '$endsWith' ? text.slice(-2) : value;
}

async function all(client: Client, path: string, filter?: string): Promise<readonly Json[]> {
  const records: Json[] = [];
  for (let page = 1; ; page += 1) {
    const query = [`pagination[page]=${String(page)}`, 'pagination[size]=100', ...(filter ? [filter] : [])];
    const { status, rows, body } = await client.get(`${path}?${query.join('&')}`);
    expect(status, query.join('&')).toBe(200);
    records.push(...rows);
    if (records.length === body['total'] || rows.length === 0) return records;
  }
}

function ids(records: readonly Json[]): unknown[] {
  return records.map(({ id }) => id);
}
