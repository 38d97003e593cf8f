import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { testContext, testEvent } from 'portaria/testing';
import handler from '../handlers/overdue-charges.ts';

afterEach(() => mock.restoreAll());

/** Replaces the finance system by one that responds with a fixed status. */
const financeResponds = (status: number) =>
  mock.method(globalThis, 'fetch', async () => new Response(null, { status }));

const charge = (status: 'overdue' | 'paid') =>
  testEvent('charge.updated', { data: { id: 7, amount: 92.41, status } });

test('reports an overdue charge under the idempotency key', async () => {
  const { mock: fetch } = financeResponds(204);
  const context = testContext({ idempotencyKey: 'e1/overdue-charges' });

  await handler.handle(charge('overdue'), context);

  const [, request] = fetch.calls[0]?.arguments ?? [];
  assert.equal(request?.body, '{"charge":7,"amount":92.41}');
  assert.equal(new Headers(request?.headers).get('idempotency-key'), 'e1/overdue-charges');
  assert.deepEqual(
    context.logged.map(({ message }) => message),
    ['reported an overdue charge'],
  );
});

test('ignores other charges', async () => {
  const { mock: fetch } = financeResponds(204);
  await handler.handle(charge('paid'), testContext());
  assert.equal(fetch.callCount(), 0);
});

test('throws when the finance system fails, so that Portaria retries', async () => {
  financeResponds(500);
  await assert.rejects(async () => handler.handle(charge('overdue'), testContext()), /responded with 500/);
});
