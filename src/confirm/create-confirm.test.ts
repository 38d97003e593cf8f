import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { catalogue, type EventKind } from '../contract/catalogue.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { testEvent } from '../testing/test-event.ts';
import { createConfirm } from './create-confirm.ts';

type Answer = (url: string) => Response | Promise<Response>;

const running = new AbortController().signal;
const stored = (kind: EventKind, data: JsonObject & { readonly id: number }): StoredEvent => ({
  ...testEvent(kind, { verdict: 'ambiguous', version: null }),
  subject: { family: catalogue[kind].family, id: String(data.id) },
  data,
});
const someCharge = stored('charge.updated', { id: 1, type: 'fee', status: 'pending' });
const charge = (id: number, status: string): StoredEvent => ({
  ...someCharge,
  subject: { family: 'charge', id: String(id) },
  data: { id, type: 'fee', status },
});
const shows: Answer = (url) =>
  Response.json({ data: { id: Number(url.split('/').at(-1)), type: 'fee', status: 'overdue' } });
const silent: Answer = () => new Promise(() => undefined);
const broken: Answer = () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
};

/** Asks about events of charges that have returned from overdue to pending. */
function openConfirm(answer: Answer) {
  const clock = manualClock();
  const provider = { answer, asked: [] as string[] };
  const client = createClient({
    url: 'http://provider.example',
    apiKey: 'key',
    clock,
    retry: { attempts: 1 },
    fetch(url) {
      provider.asked.push(url.slice('http://provider.example'.length));
      return provider.answer(url);
    },
  });
  const confirm = createConfirm({ client: () => client, clock });
  return {
    clock,
    provider,
    confirm,
    find: (id: number, signal = running) =>
      confirm.find(charge(id, 'pending'), () => Promise.resolve(charge(id, 'overdue')), signal),
  };
}

test('an id that cannot be one is unconfirmed, and the provider is none the worse for it', async () => {
  const { find, provider } = openConfirm(shows);

  expect(await find(-7)).toMatchObject({
    resolution: 'unconfirmed',
    reason: expect.stringContaining('that is no id'),
  });
  expect(provider.asked).toEqual([]);
  expect(await find(7)).toEqual({ resolution: 'superseded', reason: null });
});

test('whatever a client throws is unconfirmed', async () => {
  const clock = manualClock();
  const confirm = createConfirm({
    client: () => {
      throw new RangeError('no client today');
    },
    clock,
  });

  const before = () => Promise.resolve(charge(7, 'overdue'));
  expect(await confirm.find(charge(7, 'pending'), before, running)).toMatchObject({
    resolution: 'unconfirmed',
    reason: expect.stringContaining('RangeError: no client today'),
  });
});

test('given what came before is not kept: unconfirmed, and nobody is asked', async () => {
  const { confirm, provider } = openConfirm(shows);

  const found = await confirm.find(charge(7, 'pending'), () => Promise.resolve(undefined), running);

  expect(found).toEqual({ resolution: 'unconfirmed', reason: 'what came before it is not kept' });
  expect(provider.asked).toEqual([]);
});

test('trouble of the store is passed on: the event is asked about again', async () => {
  const { confirm } = openConfirm(shows);
  const trouble = new Error('disk full');

  await expect(confirm.find(charge(7, 'pending'), () => Promise.reject(trouble), running)).rejects.toBe(
    trouble,
  );
});

test('a stop is passed on with its reason', async () => {
  const { find } = openConfirm(silent);
  const stop = new AbortController();
  const finding = find(7, stop.signal);
  const reason = new Error('stopping');

  stop.abort(reason);

  await expect(finding).rejects.toBe(reason);
});

test('given a silent provider: ten thousand events wait five seconds once, not once each', async () => {
  const { find, provider, clock } = openConfirm(silent);

  const first = find(1);
  await turn();
  clock.advance(5_000);
  expect(await first).toEqual({ resolution: 'unconfirmed', reason: 'no answer within 5000 ms' });
  for (let id = 2; id <= 10_000; id += 1)
    expect(await find(id)).toEqual({
      resolution: 'unconfirmed',
      reason: 'the provider has not answered of late',
    });

  expect(clock.monotonic()).toBe(5_000);
  expect(provider.asked).toHaveLength(1);
});

test.each<[string, Answer]>([
  ['cannot be reached', broken],
  ['fails', () => new Response('', { status: 500 })],
  ['refuses the key', () => Response.json({ error: 'Unauthorized' }, { status: 401 })],
  ['has too much to do', () => new Response('', { status: 429 })],
])('a provider that %s is left alone, until one question a minute later is answered', async (_, answer) => {
  const { find, provider, clock } = openConfirm(answer);

  await find(1);
  await find(2);
  expect(provider.asked).toHaveLength(1);
  clock.advance(60_000);
  provider.answer = shows;

  expect(await find(3)).toMatchObject({ resolution: 'superseded' });
  expect(await find(4)).toMatchObject({ resolution: 'superseded' });
});

test('a provider that says what there is not goes on being asked', async () => {
  const { find, provider } = openConfirm(() => Response.json({ error: 'Not Found' }, { status: 404 }));

  expect(await find(1)).toEqual({ resolution: 'unconfirmed', reason: 'readCharge was answered 404' });
  await find(2);
  expect(provider.asked).toEqual(['/v1/charges/1', '/v1/charges/2']);
});

test('the slip of a charge is found among those of its charge', async () => {
  const slip = (status: string) => ({ id: 9, status, charge: { id: 4 } });
  const event = stored('charge.payment-slip.updated', slip('pending'));
  const before = stored('charge.payment-slip.updated', slip('issued'));
  const { confirm, provider } = openConfirm(() =>
    Response.json({
      data: [
        { id: 8, status: 'issued' },
        { id: 9, status: 'pending' },
      ],
    }),
  );

  expect(await confirm.find(event, () => Promise.resolve(before), running)).toMatchObject({
    resolution: 'confirmed',
  });
  expect(provider.asked).toEqual(['/v1/charges/4/payment-slips']);
});

test.each([
  ['that is not among them', { id: 10, status: 'pending', charge: { id: 4 } }],
  ['that does not say of which charge it is', { id: 9, status: 'pending' }],
])('a slip %s is unconfirmed', async (_, data) => {
  const { confirm } = openConfirm(() => Response.json({ data: [{ id: 9, status: 'pending' }] }));
  const event = stored('charge.payment-slip.updated', data);

  expect(await confirm.find(event, () => Promise.resolve(event), running)).toEqual({
    resolution: 'unconfirmed',
    reason: 'the provider has no such record',
  });
});

test('what no record can be read of is not asked about', () => {
  const { confirm } = openConfirm(shows);
  const asks = (kind: EventKind, source = 'default') =>
    confirm.asks(testEvent(kind, { source }) as StoredEvent);

  expect(asks('charge.updated')).toBe(true);
  expect(asks('traffic-violation.ticket.updated')).toBe(true);
  expect(asks('company.login.started')).toBe(false);
  expect(asks('traffic-violation.indication.updated')).toBe(false);
  expect(asks('charge.updated', 'branch')).toBe(false);
  expect(confirm.asks({ ...charge(1, 'paid'), kind: 'charge.forgiven', recognized: false })).toBe(false);
});
