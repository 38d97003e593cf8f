/** Ambiguous events with a real provider, whose API the receiver calls over HTTP. */
import { expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { addCharge, changeCharge } from '../../provider/charges/change-charge.ts';
import { listenService } from '../../provider/http/listen-service.ts';
import { changeTrafficViolation } from '../../provider/traffic-violations/change-traffic-violation.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { openWithViolation } from '../../provider/test/violations.ts';

/** Opens a provider with violation 1 and charge 1, and a receiver with its URL and key. */
async function openBoth() {
  const provider = await openWithViolation();
  const { service, app, ours } = provider;
  await service.change(ours.organization, (change) =>
    addCharge(change, {
      company_id: 1,
      type: 'fee',
      status: 'pending',
      amount: 92.41,
      due_date: '2026-03-31',
    }),
  );
  const { port, close } = await listenService(app, '127.0.0.1', 0);
  onTestFinished(close);

  const { log, logged } = testContext();
  const seen: string[] = [];
  const portaria = await createPortaria({
    config: loadConfig(
      {
        PORTARIA_DATABASE: ':memory:',
        PORTARIA_LOG_LEVEL: 'silent',
        PORTARIA_API_URL: `http://127.0.0.1:${String(port)}`,
        PORTARIA_API_KEY: ours.key,
      },
      '/',
    ),
    clock: systemClock,
    log,
    handlers: [
      defineHandler({
        name: 'plain',
        on: ['charge.updated', 'traffic-violation.updated'],
        handle: ({ data, flags }) => void seen.push([data.status, ...flags].join(' ')),
      }),
    ],
  });
  onTestFinished(() => portaria.stop());
  await portaria.dispatcher.start();

  /** Returns the webhooks that a change causes. */
  async function webhooksOf(change: () => Promise<unknown>) {
    const before = await ours.webhooks();
    await change();
    return (await ours.webhooks()).slice(before.length);
  }
  /** Posts webhooks one by one, and waits until each is handled. Returns the last event's flags, or `duplicate`. */
  async function receive(...webhooks: readonly object[]) {
    let last: readonly string[] | string | undefined;
    for (const webhook of webhooks) {
      const response = await portaria.app.request('/webhooks', {
        method: 'POST',
        body: JSON.stringify(webhook),
      });
      const { id, status } = (await response.json()) as { readonly id: string; readonly status: string };
      await portaria.dispatcher.idle();
      last = status === 'duplicate' ? status : (await portaria.store.event(id))?.flags;
    }
    return last;
  }
  return {
    ...provider,
    seen,
    logged,
    webhooksOf,
    receive,
    pay: (status: 'pending' | 'paid' | 'overdue') =>
      webhooksOf(() => service.change(ours.organization, (change) => changeCharge(change, 1, { status }))),
    move: (status: 'citation' | 'pending' | 'paid') =>
      webhooksOf(() =>
        service.change(ours.organization, (change) => changeTrafficViolation(change, 1, { status })),
      ),
    stopProvider: close,
  };
}

test('a late webhook of a charge is superseded, and the same webhook of a real return is confirmed', async () => {
  const { pay, receive, seen } = await openBoth();
  const overdue = await pay('overdue');
  const paid = await pay('paid');
  await receive(...overdue, ...paid);

  // The first webhook arrives again, while the charge is paid.
  expect(await receive(...overdue)).toEqual(['ambiguous', 'superseded']);
  expect(seen).toEqual(['overdue', 'paid']);

  // The payment is reverted: the webhook has the same bytes, and is now current.
  const again = await pay('overdue');
  expect(again).toEqual(overdue);
  expect(await receive(...again)).toEqual(['ambiguous', 'confirmed']);
  expect(seen).toEqual(['overdue', 'paid', 'overdue ambiguous confirmed']);
  expect(await receive(...again)).toBe('duplicate');
});

test('a late webhook of a traffic violation is superseded, and a real return is confirmed', async () => {
  const { move, receive, seen } = await openBoth();
  const pending = await move('pending');
  const paid = await move('paid');
  await receive(...pending, ...paid);

  expect(await receive(...pending)).toEqual(['ambiguous', 'superseded']);
  expect(await receive(...(await move('pending')))).toEqual(['ambiguous', 'confirmed']);
  expect(seen).toEqual(['pending', 'paid', 'pending ambiguous confirmed']);
});

test('an event whose record has changed since is unconfirmed', async () => {
  const { pay, receive, seen } = await openBoth();
  const overdue = await pay('overdue');
  const paid = await pay('paid');
  await receive(...overdue, ...paid);
  await pay('pending');

  expect(await receive(...overdue)).toEqual(['ambiguous', 'unconfirmed']);
  expect(seen.at(-1)).toBe('overdue ambiguous unconfirmed');
});

test('a stopped provider does not delay events', async () => {
  const { pay, receive, seen, stopProvider, logged } = await openBoth();
  const overdue = await pay('overdue');
  const paid = await pay('paid');
  await receive(...overdue, ...paid);
  await stopProvider();

  expect(await receive(...overdue)).toEqual(['ambiguous', 'unconfirmed']);
  expect(seen.at(-1)).toBe('overdue ambiguous unconfirmed');
  expect(logged.map(({ message }) => message)).toContainEqual(expect.stringContaining('ECONNREFUSED'));
});

test('an event of an unknown charge is unconfirmed', async () => {
  const { receive, seen } = await openBoth();
  const webhook = (status: string) => ({ type: 'charge.updated', data: { id: 99, type: 'fee', status } });
  await receive(webhook('pending'), webhook('paid'));

  expect(await receive(webhook('pending'))).toEqual(['ambiguous', 'unconfirmed']);
  expect(seen.at(-1)).toBe('pending ambiguous unconfirmed');
});
