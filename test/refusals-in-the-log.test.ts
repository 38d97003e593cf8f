/** What strangers send to the public port makes no more than a line a second of each kind. */
import { expect, test } from 'vitest';
import { createPortaria } from '../src/compose.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { manualClock } from '../src/testing/manual-clock.ts';
import { testContext } from '../src/testing/test-context.ts';

test('given PORTARIA_ON_INVALID=accept, a flood of invalid bodies of unverified senders has two lines', async () => {
  const { log, logged } = testContext();
  const clock = manualClock();
  const env = { PORTARIA_DATABASE: ':memory:', PORTARIA_ON_INVALID: 'accept' };
  const portaria = await createPortaria({ config: loadConfig(env, '/'), handlers: [], log, clock });

  for (let id = 0; id < 20; id += 1) {
    const body = JSON.stringify({ type: 'charge.created', data: { id: `not a number: ${String(id)}` } });
    const { status } = await portaria.app.request('/webhooks', { method: 'POST', body });
    expect(status).toBe(202);
  }
  clock.advance(1_000);
  await portaria.stop();

  const lines = logged.map(({ fields }) => fields as { result?: string; times?: number });
  expect(lines.filter(({ result }) => result === 'quarantined').map(({ times }) => times)).toEqual([
    undefined,
    19,
  ]);
});

test('given a flood of refused webhooks, the log has two lines of each kind', async () => {
  const { log, logged } = testContext();
  const clock = manualClock();
  const env = {
    PORTARIA_DATABASE: ':memory:',
    PORTARIA_VERIFY: 'token',
    PORTARIA_SECRETS: 'a-secret-of-more-than-16-bytes',
    PORTARIA_SOURCES: '{"open":{"verify":"none"}}',
    PORTARIA_MAX_BODY: '10',
  };
  const portaria = await createPortaria({ config: loadConfig(env, '/'), handlers: [], log, clock });
  const post = async (path: string, body = '{', headers: Record<string, string> = {}) =>
    (await portaria.app.request(path, { method: 'POST', body, headers })).status;

  const statuses = new Set<number>();
  for (let at = 0; at < 20; at += 1) {
    statuses.add(await post('/webhooks'));
    statuses.add(await post('/webhooks/nowhere'));
    statuses.add(await post('/webhooks', 'longer than ten bytes'));
    statuses.add(await post('/webhooks', '{', { 'content-encoding': 'gzip' }));
    statuses.add(await post('/webhooks/open'));
  }
  clock.advance(1_000);
  await portaria.stop();

  expect([...statuses].toSorted()).toEqual([400, 401, 404, 413, 415]);
  const told = logged.map(({ fields }) => fields as { status?: number; times?: number });
  for (const status of statuses) {
    const lines = told.filter((fields) => fields.status === status);
    expect(lines.map(({ times }) => times)).toEqual([undefined, 19]);
  }
});
