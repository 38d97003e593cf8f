import { expect, test } from 'vitest';
import { isEventKind } from '../../src/contract/catalogue.ts';
import { fitsKind } from '../../src/contract/fits-kind.ts';
import { openSeededWorld } from './seeded-world.ts';
import { NOW } from './test-provider.ts';

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

async function everything({ ours }: Awaited<ReturnType<typeof openSeededWorld>>) {
  const lists = LISTS.map((list) => ours.get(`/v1/${list}?pagination[page]=1&pagination[size]=100`));
  return (await Promise.all(lists)).map(({ body }) => body);
}

test('the same seed has the same answers, another one others', async () => {
  const first = await everything(await openSeededWorld(small));
  const again = await everything(await openSeededWorld(small));
  const other = await everything(await openSeededWorld({ ...small, seed: 8 }));

  expect(again).toEqual(first);
  expect(other[0]).not.toEqual(first[0]);
});

test('more companies leave the first ones as they are', async () => {
  const few = await openSeededWorld({ ...small, companies: 4 });
  const many = await openSeededWorld({ ...small, companies: 9 });

  const { rows } = await many.ours.get('/v1/companies');

  expect(rows.slice(0, 4)).toEqual((await few.ours.get('/v1/companies')).rows);
});

test('an organization with data is refused, unless more is asked for', async () => {
  const { ours, seed } = await openSeededWorld(small);
  await expect(seed()).rejects.toThrow('The organization has data already');

  const { counts } = await seed({ more: true, companies: 3 });

  expect(counts.get('companies')).toBe(3);
  expect((await ours.get('/v1/companies')).body).toMatchObject({ total: 9 });
  expect((await ours.get('/v1/traffic-violations')).body).toMatchObject({ total: 240 });
});

test('nobody is told of the past', async () => {
  const { ours } = await openSeededWorld(small);

  expect(await ours.webhooks()).toEqual([]);
});

test('where webhooks are asked for, each record is told from its creation on, in the order of its life', async () => {
  const { ours, provider, result } = await openSeededWorld({ ...small, emitsWebhooks: true });

  const told = await ours.webhooks();

  for (const { type, data } of told) expect(isEventKind(type) && fitsKind(type, data), type).toBe(true);
  const created = (kind: string) => told.filter(({ type }) => type === `${kind}.created`).length;
  expect(created('company')).toBe(6);
  expect(created('traffic-violation')).toBe(120);
  expect(created('charge')).toBe(result.counts.get('charges'));
  expect(created('traffic-violation.ticket')).toBe(result.counts.get('payment slips of traffic violations'));
  const last = new Map<string, string>();
  for (const { type, data } of told) {
    const version = data['updated_at'] ?? data['synced_at'];
    if (typeof version !== 'string') continue;
    const subject = `${type.split('.').slice(0, -1).join('.')}:${String(data['id'])}`;
    expect(version >= (last.get(subject) ?? ''), `${type} ${subject}`).toBe(true);
    last.set(subject, version);
  }
  const times = provider.sqlite.prepare('select max(created_at) from webhook_events').pluck().get();
  expect(String(times) <= NOW).toBe(true);
});

test('what is to come begins where the past ends: nothing of it was due long ago', async () => {
  const { provider, ours } = await openSeededWorld({ ...small, violations: 600 });

  const due = provider.sqlite
    .prepare<[number], string>(
      'select due_at from scheduled_steps where organization_id = ? and due_at is not null order by due_at',
    )
    .pluck()
    .all(ours.organization);

  expect(due.length).toBeGreaterThan(20);
  expect(Date.parse(NOW) - Date.parse(due[0] ?? '')).toBeLessThan(60_000);
});

test('a past that is interrupted says so, and keeps what it has made', async () => {
  const ending = new AbortController();
  const { ours, result } = await openSeededWorld({
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
