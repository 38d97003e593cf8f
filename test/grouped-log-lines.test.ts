/** Requests of unknown senders cause at most one log line a second of each group. */
import { expect, test } from 'vitest';
import { createPortaria } from '../src/compose.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { manualClock } from '../src/testing/manual-clock.ts';
import { testContext } from '../src/testing/test-context.ts';

test('given PORTARIA_ON_INVALID=accept, a flood of invalid bodies from unverified senders causes two lines', async () => {
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

test('given a flood of rejected webhooks, the log has two lines of each group', async () => {
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
  const responses = logged.map(({ fields }) => fields as { status?: number; times?: number });
  for (const status of statuses) {
    const lines = responses.filter((fields) => fields.status === status);
    expect(lines.map(({ times }) => times)).toEqual([undefined, 19]);
  }
});
