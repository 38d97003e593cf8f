import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient } from '../client/create-client.ts';
import { catalogue, type EventKind } from '../contract/catalogue.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { JsonObject } from '../kernel/json/json.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { testEvent } from '../testing/test-event.ts';
import { createConfirm } from './create-confirm.ts';

type Respond = (url: string) => Response | Promise<Response>;

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
const showsOverdue: Respond = (url) =>
  Response.json({ data: { id: Number(url.split('/').at(-1)), type: 'fee', status: 'overdue' } });
const silent: Respond = () => new Promise(() => undefined);
const broken: Respond = () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
};

/** Creates a check with a provider that handles requests by `respond`. `find` checks a charge that returned from overdue to pending. */
function openConfirm(respond: Respond) {
  const clock = manualClock();
  const provider = { respond, requests: [] as string[] };
  const client = createClient({
    url: 'http://provider.example',
    apiKey: 'key',
    clock,
    retry: { attempts: 1 },
    fetch(url) {
      provider.requests.push(url.slice('http://provider.example'.length));
      return provider.respond(url);
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

test('an event with an invalid id is unconfirmed, and does not start the cooldown', async () => {
  const { find, provider } = openConfirm(showsOverdue);

  expect(await find(-7)).toMatchObject({
    resolution: 'unconfirmed',
    reason: expect.stringContaining('invalid id'),
  });
  expect(provider.requests).toEqual([]);
  expect(await find(7)).toEqual({ resolution: 'superseded', reason: null });
});

test('any error of the client leaves the event unconfirmed', async () => {
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

test('an event is unconfirmed, without a request, when the event before it is not stored', async () => {
  const { confirm, provider } = openConfirm(showsOverdue);

  const found = await confirm.find(charge(7, 'pending'), () => Promise.resolve(undefined), running);

  expect(found).toEqual({ resolution: 'unconfirmed', reason: 'the event before it is not stored' });
  expect(provider.requests).toEqual([]);
});

test('an error of the store is thrown, so that the event is checked again', async () => {
  const { confirm } = openConfirm(showsOverdue);
  const failure = new Error('disk full');

  await expect(confirm.find(charge(7, 'pending'), () => Promise.reject(failure), running)).rejects.toBe(
    failure,
  );
});

test('the reason of the signal is thrown', async () => {
  const { find } = openConfirm(silent);
  const stop = new AbortController();
  const finding = find(7, stop.signal);
  const reason = new Error('stopping');

  stop.abort(reason);

  await expect(finding).rejects.toBe(reason);
});

test('given a provider that does not respond, ten thousand events wait five seconds in total', async () => {
  const { find, provider, clock } = openConfirm(silent);

  const first = find(1);
  await nextTick();
  clock.advance(5_000);
  expect(await first).toEqual({ resolution: 'unconfirmed', reason: 'no response within 5000 ms' });
  for (let id = 2; id <= 10_000; id += 1)
    expect(await find(id)).toEqual({
      resolution: 'unconfirmed',
      reason: 'the provider failed less than a minute ago',
    });

  expect(clock.monotonic()).toBe(5_000);
  expect(provider.requests).toHaveLength(1);
});

test.each<[string, Respond]>([
  ['is unreachable', broken],
  ['fails', () => new Response('', { status: 500 })],
  ['rejects the key', () => Response.json({ error: 'Unauthorized' }, { status: 401 })],
  ['limits the rate', () => new Response('', { status: 429 })],
])('a provider that %s gets no request until a probe succeeds a minute later', async (_, respond) => {
  const { find, provider, clock } = openConfirm(respond);

  await find(1);
  await find(2);
  expect(provider.requests).toHaveLength(1);
  clock.advance(60_000);
  provider.respond = showsOverdue;

  expect(await find(3)).toMatchObject({ resolution: 'superseded' });
  expect(await find(4)).toMatchObject({ resolution: 'superseded' });
});

test('a 404 does not start the cooldown', async () => {
  const { find, provider } = openConfirm(() => Response.json({ error: 'Not Found' }, { status: 404 }));

  expect(await find(1)).toEqual({ resolution: 'unconfirmed', reason: 'readCharge failed with status 404' });
  await find(2);
  expect(provider.requests).toEqual(['/v1/charges/1', '/v1/charges/2']);
});

test('a slip of a charge is found in the list of its charge', async () => {
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
  expect(provider.requests).toEqual(['/v1/charges/4/payment-slips']);
});

test.each([
  ['that is not in the list', { id: 10, status: 'pending', charge: { id: 4 } }],
  ['that does not name its charge', { id: 9, status: 'pending' }],
])('a slip %s is unconfirmed', async (_, data) => {
  const { confirm } = openConfirm(() => Response.json({ data: [{ id: 9, status: 'pending' }] }));
  const event = stored('charge.payment-slip.updated', data);

  expect(await confirm.find(event, () => Promise.resolve(event), running)).toEqual({
    resolution: 'unconfirmed',
    reason: 'the provider has no such record',
  });
});

test('an event without a readable record is not checked', () => {
  const { confirm } = openConfirm(showsOverdue);
  const asks = (kind: EventKind, source = 'default') =>
    confirm.asks(testEvent(kind, { source }) as StoredEvent);

  expect(asks('charge.updated')).toBe(true);
  expect(asks('traffic-violation.ticket.updated')).toBe(true);
  expect(asks('company.login.started')).toBe(false);
  expect(asks('traffic-violation.indication.updated')).toBe(false);
  expect(asks('charge.updated', 'branch')).toBe(false);
  expect(confirm.asks({ ...charge(1, 'paid'), kind: 'charge.forgiven', recognized: false })).toBe(false);
});
