import { expect, test, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/kernel/time/durations.ts';
import { syncSnapshot } from '../../src/contract/record/sync.ts';
import { MAX_STREAMS } from '../open-provider.ts';
import { eventually } from '../../test/support/eventually.ts';
import { company, cpfs } from './kit/people.ts';
import { openWithScenario } from './kit/scenario-setup.ts';
import type { Json } from './kit/test-provider.ts';

const path = '/v1/companies/1/sync';

/** Adds a company that has just signed in for the first time. */
async function openImporting() {
  const setup = await openWithScenario();
  await setup.ours.post('/v1/companies', { ...company, login_username: cpfs[0] });
  await setup.untilImport(1);
  return setup;
}

function eventsIn(text: string) {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => ({
      event: /^event: (.*)$/m.exec(block)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null') as Json,
    }));
}

test('responds 404 before and after the import', async () => {
  const { ours, pass } = await openImporting();
  await pass(10 * MINUTE_MS);

  for (const end of ['stream', 'snapshot'])
    expect(await ours.get(`${path}/${end}`)).toMatchObject({
      status: 404,
      body: { error: 'Not Found', message: 'No active sync for company 1' },
    });
  expect((await ours.get('/v1/companies/2/sync/snapshot')).body).toMatchObject({
    message: 'Company with id 2 not found',
  });
});

test('counts total and completed records in the snapshot', async () => {
  const { ours, pass } = await openImporting();
  await pass(2_000);

  const { data } = await ours.get(`${path}/snapshot`);

  expect(syncSnapshot.safeParse(data).success).toBe(true);
  const { totals, domains } = data as unknown as Record<'totals' | 'domains', Record<string, Json>>;
  for (const part of [totals as unknown as Json, domains['vehicles'], domains['traffic_violations']]) {
    const { total, completed, succeeded, failed, remaining } = part as Record<string, number>;
    expect(completed).toBe(Number(succeeded) + Number(failed));
    expect(remaining).toBe(Number(total) - Number(completed));
  }
});

test('streams every step and the outcome, and ends', async () => {
  const { ours, app, pass } = await openImporting();
  const response = await app.request(`${path}/stream`, {
    headers: { 'x-api-key': ours.key, accept: 'text/event-stream' },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const reading = response.text();
  for (let step = 0; step < 200; step += 1) await pass(600);
  const events = eventsIn(await reading);

  const done = events.at(-1);
  expect(done?.event).toBe('done');
  expect(['success', 'partial_success', 'failure']).toContain(done?.data['status']);
  const progress = events.slice(0, -1);
  expect(progress.length).toBeGreaterThan(5);
  for (const { event, data } of progress) {
    expect(event).toBe('progress');
    expect(syncSnapshot.safeParse(data).success).toBe(true);
  }
  const completed = progress.map(({ data }) => Number((data['totals'] as Json)['completed']));
  expect(completed).toEqual([...completed].sort((one, other) => one - other));
  expect(new Set(completed).size).toBe(completed.length);
  expect(progress.at(-1)?.data['totals']).toMatchObject({ remaining: 0 });
});

test('adds the violations that it counts as succeeded, with their events', async () => {
  const { ours, provider, pass } = await openImporting();
  await pass(10 * MINUTE_MS);

  const row = await provider.query.selectFrom('company_imports').selectAll().executeTakeFirstOrThrow();
  const { total } = (await ours.get('/v1/traffic-violations')).body;
  expect(total).toBe(row.violations_succeeded);
  expect((await ours.webhooks()).filter(({ type }) => type === 'traffic-violation.created')).toHaveLength(
    row.violations_succeeded,
  );
  expect(row.violations_succeeded + row.violations_failed).toBe(row.violations_total);
});

test('imports once per company', async () => {
  const { ours, provider, pass } = await openImporting();
  await pass(10 * MINUTE_MS);
  const { total } = (await ours.get('/v1/traffic-violations')).body;
  await pass(24 * HOUR_MS);

  expect((await ours.get('/v1/traffic-violations')).body['total']).toBe(total);
  expect(await provider.query.selectFrom('company_imports').selectAll().execute()).toHaveLength(1);
});

test('limits the streams of an organization', async () => {
  const { ours, app, provider } = await openImporting();
  const listening = vi.spyOn(provider, 'onCommit');
  const request = (method = 'GET') =>
    app.request(`${path}/stream`, { method, headers: { 'x-api-key': ours.key } });
  // HEAD has no body and counts as no stream.
  for (let head = 0; head < 3; head += 1) expect((await request('HEAD')).status).toBe(200);
  const streams: Response[] = [];
  for (let stream = 0; stream < MAX_STREAMS; stream += 1) streams.push(await request());
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));

  const refused = await request();

  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('10');
  expect(await refused.json()).toEqual({
    error: 'Too Many Requests',
    message: 'An organization can have at most 100 synchronization streams at a time',
  });
  expect(listening).toHaveBeenCalledTimes(MAX_STREAMS);
  expect((await ours.get(`${path}/snapshot`)).status).toBe(200);

  await streams.pop()?.body?.cancel();
  const next = await eventually('a place is free', async () => {
    const response = await request();
    return response.status === 200 ? response : undefined;
  });
  expect((await request()).status).toBe(429);

  provider.beginClosing();
  await Promise.all([...streams, next].map((stream) => stream.text()));
});

test('releases a stream when its reader leaves, and ends it when the provider stops', async () => {
  const { ours, app, provider } = await openImporting();
  const request = () => app.request(`${path}/stream`, { headers: { 'x-api-key': ours.key } });
  const left = await request();
  await left.body?.cancel();
  const stays = await request();
  const reading = stays.text();
  provider.beginClosing();

  expect(eventsIn(await reading).map(({ event }) => event)).toEqual(['progress']);
});
