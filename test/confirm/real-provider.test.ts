/** The receiver confirms webhooks with requests to the stand-in provider, over a socket. */
import { expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { changeCharge } from '../../provider/charges/change-charge.ts';
import { listening } from '../../provider/test/kit/listening.ts';
import { changeTrafficViolation } from '../../provider/traffic-violations/change-traffic-violation.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { openWithCharge } from '../../provider/test/kit/violation-setup.ts';

/** A provider with violation 1 and charge 1, and a receiver that knows its address and key. */
async function openBoth() {
  const setup = await openWithCharge();
  const { provider, app, ours } = setup;
  const { port, close } = await listening(app);

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

  /** Returns the webhooks that a change emits. */
  async function webhooksOf(change: () => Promise<unknown>) {
    const before = await ours.webhooks();
    await change();
    return (await ours.webhooks()).slice(before.length);
  }
  /** A webhook arrives and is handled. Gives its event's flags, or `duplicate`. */
  async function arrives(...webhooks: readonly object[]) {
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
    ...setup,
    seen,
    logged,
    arrives,
    pay: (status: 'pending' | 'paid' | 'overdue') =>
      webhooksOf(() => provider.change(ours.organization, (change) => changeCharge(change, 1, { status }))),
    move: (status: 'citation' | 'pending' | 'paid') =>
      webhooksOf(() =>
        provider.change(ours.organization, (change) => changeTrafficViolation(change, 1, { status })),
      ),
    stopProvider: close,
  };
}

test('a charge that was opened again, and the same webhook come late', async () => {
  const { pay, arrives, seen } = await openBoth();
  const overdue = await pay('overdue');
  const paid = await pay('paid');
  await arrives(...overdue, ...paid);

  // The first once more, while the charge is paid.
  expect(await arrives(...overdue)).toEqual(['ambiguous', 'superseded']);
  expect(seen).toEqual(['overdue', 'paid']);

  // The payment is taken back: the very same bytes, and this time they are true.
  const again = await pay('overdue');
  expect(again).toEqual(overdue);
  expect(await arrives(...again)).toEqual(['ambiguous', 'confirmed']);
  expect(seen).toEqual(['overdue', 'paid', 'overdue ambiguous confirmed']);
  expect(await arrives(...again)).toBe('duplicate');
});

test('a traffic violation, likewise', async () => {
  const { move, arrives, seen } = await openBoth();
  const pending = await move('pending');
  const paid = await move('paid');
  await arrives(...pending, ...paid);

  expect(await arrives(...pending)).toEqual(['ambiguous', 'superseded']);
  expect(await arrives(...(await move('pending')))).toEqual(['ambiguous', 'confirmed']);
  expect(seen).toEqual(['pending', 'paid', 'pending ambiguous confirmed']);
});

test('what has moved on since is applied with the flag', async () => {
  const { pay, arrives, seen } = await openBoth();
  const overdue = await pay('overdue');
  const paid = await pay('paid');
  await arrives(...overdue, ...paid);
  await pay('pending');

  expect(await arrives(...overdue)).toEqual(['ambiguous', 'unconfirmed']);
  expect(seen.at(-1)).toBe('overdue ambiguous unconfirmed');
});

test('a provider that has stopped holds up nothing', async () => {
  const { pay, arrives, seen, stopProvider, logged } = await openBoth();
  const overdue = await pay('overdue');
  const paid = await pay('paid');
  await arrives(...overdue, ...paid);
  await stopProvider();

  expect(await arrives(...overdue)).toEqual(['ambiguous', 'unconfirmed']);
  expect(seen.at(-1)).toBe('overdue ambiguous unconfirmed');
  expect(logged.map(({ message }) => message)).toContainEqual(expect.stringContaining('ECONNREFUSED'));
});

test('a charge that the organization does not have', async () => {
  const { arrives, seen } = await openBoth();
  const webhook = (status: string) => ({ type: 'charge.updated', data: { id: 99, type: 'fee', status } });
  await arrives(webhook('pending'), webhook('paid'));

  expect(await arrives(webhook('pending'))).toEqual(['ambiguous', 'unconfirmed']);
  expect(seen.at(-1)).toBe('pending ambiguous unconfirmed');
});
