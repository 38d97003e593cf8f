import { expect, test, vi } from 'vitest';
import { countWebhooks } from '../../webhooks/outbox/outbox.ts';
import {
  listDeadWebhooks,
  resendDeadWebhook,
  resendDeadWebhooks,
} from '../../webhooks/outbox/dead-webhooks.ts';
import { company } from '../kit/people.ts';
import { openWithSender } from '../kit/sending-setup.ts';

const ATTEMPTS = 8;
const RETRY_STEP_MS = 9_000;

/** Records three webhooks of a company. The first `count` of them are dead, because the receiver rejects them. */
async function openWithDead(count: number) {
  const setup = await openWithSender();
  const { receiver, ours, rename, start, until, clock } = setup;
  receiver.respond(...Array.from({ length: count * ATTEMPTS }, () => 500));
  await ours.post('/v1/companies', company);
  await rename('B', 'C');
  await start();
  await until('all have ended', (rows) => {
    const next = rows.find(({ status }) => status === 'pending');
    if (next === undefined) return true;
    // Not while it is due, and may be on its way: it would run out of time.
    if (Date.parse(next.due_at) > clock.now()) clock.advance(RETRY_STEP_MS);
    return false;
  });
  return setup;
}

const allDelivered = (rows: readonly { readonly status: string }[]) =>
  rows.every(({ status }) => status === 'delivered');

test('lists dead webhooks in pages, oldest first, with reason and time', async () => {
  const { provider, ours, receiver, clock } = await openWithDead(2);

  const all = await listDeadWebhooks(provider);

  expect(all).toMatchObject([
    { id: 1, type: 'company.created', recordedAt: '2026-03-10T12:00:00.000Z' },
    { id: 2, type: 'company.updated' },
  ]);
  for (const { organization, url, attempts, reason, endedAt } of all) {
    expect({ organization, url, attempts, reason }).toEqual({
      organization: ours.organization,
      url: `${receiver.url}/hook`,
      attempts: ATTEMPTS,
      reason: 'status 500',
    });
    expect(Date.parse(endedAt)).toBeGreaterThan(Date.parse('2026-03-10T12:00:00.000Z'));
    expect(Date.parse(endedAt)).toBeLessThanOrEqual(clock.now());
  }
  expect(await listDeadWebhooks(provider, { limit: 1 })).toEqual(all.slice(0, 1));
  expect(await listDeadWebhooks(provider, { after: 1 })).toEqual(all.slice(1));
  expect(await listDeadWebhooks(provider, { after: 2 })).toEqual([]);
});

test('counts the outbox by status', async () => {
  const { provider, rename, receiver, until } = await openWithDead(2);
  provider.sqlite.exec("update webhook_deliveries set status = 'lost' where id = 2");
  receiver.respond(500);
  await rename('D', 'E');
  await until('one attempt', (rows) => rows[3]?.attempts === 1);

  expect(await countWebhooks(provider)).toEqual({ pending: 2, aside: 0, delivered: 1, dead: 1, lost: 1 });
});

test('resends one dead webhook, and leaves the others dead', async () => {
  const { provider, until, receivedNames } = await openWithDead(2);
  const before = receivedNames().length;

  await resendDeadWebhook(provider, 2);

  await until('it is delivered', (rows) => rows[1]?.status === 'delivered');
  expect(receivedNames().slice(before)).toEqual(['B']);
  expect(await countWebhooks(provider)).toMatchObject({ delivered: 2, dead: 1 });
});

test('gives a resent webhook all attempts, without blocking later ones', async () => {
  const { provider, receiver, until, receivedNames, rename, passUntil, deliveries } = await openWithDead(1);
  const before = receivedNames().length;
  receiver.respond(500);

  await resendDeadWebhook(provider, 1);
  await until('one more try', (rows) => rows[0]?.attempts === 1);
  await rename('D');
  await until('a later one is delivered', (rows) => rows[3]?.status === 'delivered');
  expect((await deliveries())[0]).toMatchObject({ status: 'aside', attempts: 1, failure: 'status 500' });
  await passUntil('it is delivered', allDelivered);

  expect(receivedNames().slice(before)).toEqual([company.name, 'D', company.name]);
});

test('resends all dead webhooks in the order of their changes', async () => {
  const { provider, until, receivedNames } = await openWithDead(3);
  const before = receivedNames().length;

  expect(await resendDeadWebhooks(provider)).toBe(3);

  await until('all are delivered', allDelivered);
  expect(receivedNames().slice(before)).toEqual([company.name, 'B', 'C']);
  expect(await resendDeadWebhooks(provider)).toBe(0);
});

test('never scans the outbox for dead webhooks', async () => {
  const { provider } = await openWithDead(1);
  const prepared = vi.spyOn(provider.sqlite, 'prepare');
  await listDeadWebhooks(provider, { after: 1 });
  await resendDeadWebhooks(provider);
  await countWebhooks(provider);
  const asked = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('webhook_deliveries'));
  prepared.mockRestore();

  expect(asked).toHaveLength(4);
  for (const sql of asked) {
    const plan = provider.sqlite
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
      .map(({ detail }) => detail);
    expect(
      plan.filter((step) => /SCAN (?!.*USING)/.test(step) && !/CONSTANT|counted/.test(step)),
      sql,
    ).toEqual([]);
  }
});
