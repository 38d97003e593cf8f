import { expect, test } from 'vitest';
import { specification } from '../../src/contract/specification.ts';
import { openSeeded } from './kit/seeded-setup.ts';
import { NOW } from './kit/test-provider.ts';

const LISTS = [
  'companies',
  'users',
  'console/users',
  'driver-licenses',
  'traffic-violations',
  'traffic-violations/tickets',
  'antt/violations',
  'antt/violations/tickets',
  'charges',
  'charges/payment-slips',
];
const small = { companies: 6, violations: 120 };

async function everything({ ours }: Awaited<ReturnType<typeof openSeeded>>) {
  const lists = LISTS.map((list) => ours.get(`/v1/${list}?pagination[page]=1&pagination[size]=100`));
  return (await Promise.all(lists)).map(({ body }) => body);
}

test('the same seed gives the same records, another seed gives others', async () => {
  const first = await everything(await openSeeded(small));
  const again = await everything(await openSeeded(small));
  const other = await everything(await openSeeded({ ...small, seed: 8 }));

  expect(again).toEqual(first);
  expect(other[0]).not.toEqual(first[0]);
});

test('more companies leave the first ones unchanged', async () => {
  const few = await openSeeded({ ...small, companies: 4 });
  const many = await openSeeded({ ...small, companies: 9 });

  const { rows } = await many.ours.get('/v1/companies');

  expect(rows.slice(0, 4)).toEqual((await few.ours.get('/v1/companies')).rows);
});

test('rejects an organization with data, unless more is set', async () => {
  const { ours, seed } = await openSeeded(small);
  await expect(seed()).rejects.toThrow('The organization has data already');

  const { counts } = await seed({ more: true, companies: 3 });

  expect(counts.get('companies')).toBe(3);
  expect((await ours.get('/v1/companies')).body).toMatchObject({ total: 9 });
  expect((await ours.get('/v1/traffic-violations')).body).toMatchObject({ total: 240 });
});

test('emits no webhooks by default', async () => {
  const { ours } = await openSeeded(small);

  expect(await ours.webhooks()).toEqual([]);
});

test('with webhooks, emits the history of each record in order, from its creation', async () => {
  const { ours, provider, result } = await openSeeded({ ...small, emitsWebhooks: true });

  const recorded = await ours.webhooks();

  for (const { type, data } of recorded)
    expect(specification.find('default', type)?.isKnown(data), type).toBe(true);
  const created = (kind: string) => recorded.filter(({ type }) => type === `${kind}.created`).length;
  expect(created('company')).toBe(6);
  expect(created('traffic-violation')).toBe(120);
  expect(created('charge')).toBe(result.counts.get('charges'));
  expect(created('traffic-violation.ticket')).toBe(result.counts.get('payment slips of traffic violations'));
  const last = new Map<string, string>();
  for (const { type, data } of recorded) {
    const version = data['updated_at'] ?? data['synced_at'];
    if (typeof version !== 'string') continue;
    const subject = `${type.split('.').slice(0, -1).join('.')}:${String(data['id'])}`;
    expect(version >= (last.get(subject) ?? ''), `${type} ${subject}`).toBe(true);
    last.set(subject, version);
  }
  const times = provider.sqlite.prepare('select max(created_at) from webhook_events').pluck().get();
  expect(String(times) <= NOW).toBe(true);
});

test('the scheduled steps begin at the end of the history', async () => {
  const { provider, ours } = await openSeeded({ ...small, violations: 600 });

  const due = provider.sqlite
    .prepare<[number], string>(
      'select due_at from scheduled_steps where organization_id = ? and due_at is not null order by due_at',
    )
    .pluck()
    .all(ours.organization);

  expect(due.length).toBeGreaterThan(20);
  expect(Date.parse(NOW) - Date.parse(due[0] ?? '')).toBeLessThan(60_000);
});

test('an interrupted seeding is marked incomplete and keeps its records', async () => {
  const ending = new AbortController();
  const { ours, result } = await openSeeded({
    ...small,
    signal: ending.signal,
    onProgress: (_done, _total, what) => {
      if (what === 'console users') ending.abort();
    },
  });

  expect(result.isComplete).toBe(false);
  expect((await ours.get('/v1/companies')).body).toMatchObject({ total: 6 });
  expect((await ours.get('/v1/traffic-violations')).body).toMatchObject({ total: 0 });
});
