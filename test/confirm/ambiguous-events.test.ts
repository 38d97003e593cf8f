/** Events whose subject returns to an earlier content, with access to the provider's API. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { createPortaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { rebuildMachines } from '../../src/operate/change/rebuild-machines.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { eventNumber } from '../../src/handle/fold/event-number.ts';
import { createReplay } from '../support/replay-job.ts';

type Status = 'pending' | 'overdue' | 'paid';
type Respond = () => Response | Promise<Response>;

const charge = (status: Status) => ({ id: 7, type: 'fee', status, amount: 92.41, company: { id: 1 } });
/** The record in the API: without the CNPJ, and with an amount that grows daily. */
const recordWith =
  (status: Status): Respond =>
  () =>
    Response.json({ data: { ...charge(status), amount: 93.05 } });
const down: Respond = () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
};

async function open(respond: Respond) {
  const clock = manualClock();
  const { log, logged } = testContext();
  const provider = { respond, requests: [] as string[] };
  const seen: string[] = [];
  const record =
    (name: string) =>
    ({ data, flags }: { readonly data: { readonly status: string }; readonly flags: readonly string[] }) => {
      seen.push(`${name}: ${data.status}${flags.length > 0 ? ` (${flags.join(', ')})` : ''}`);
    };
  const portaria = await createPortaria({
    config: loadConfig(
      {
        PORTARIA_DATABASE: ':memory:',
        PORTARIA_SOURCES: '{"branch":{"verify":"none"}}',
        PORTARIA_LOG_LEVEL: 'silent',
      },
      '/',
    ),
    clock,
    log,
    client: createClient({
      url: 'http://provider.example',
      apiKey: 'key',
      clock,
      retry: { attempts: 1 },
      fetch: (url) => {
        provider.requests.push(url);
        return provider.respond();
      },
    }),
    handlers: [
      defineHandler({ name: 'plain', on: 'charge.updated', handle: record('plain') }),
      defineHandler({ name: 'all', on: 'charge.updated', stale: true, handle: record('all') }),
      defineMachine({
        name: 'last',
        on: 'charge.updated',
        initial: { status: 'none', folded: 0 },
        evolve: ({ folded }, { data }) => ({ status: data.status as string, folded: folded + 1 }),
      }),
    ],
  });
  onTestFinished(() => portaria.stop());
  await portaria.dispatcher.start();

  async function post(status: Status, path = '/webhooks') {
    const response = await portaria.app.request(path, {
      method: 'POST',
      body: JSON.stringify({
        type: 'charge.updated',
        data: { ...charge(status), company: { id: 1, tax_id: '11222333000181' } },
      }),
    });
    return { status: response.status, body: (await response.json()) as { id: string; status: string } };
  }

  return {
    portaria,
    provider,
    clock,
    logged,
    seen,
    post,
    /** Posts webhooks one by one, and waits until each is handled. Returns the last event's id. */
    async receive(...statuses: Status[]) {
      let last = '';
      for (const status of statuses) {
        last = (await post(status)).body.id;
        await portaria.dispatcher.idle();
      }
      return last;
    },
    async flags(id: string) {
      return (await portaria.store.event(id))?.flags;
    },
    async deliveries(eventId: string) {
      const rows = await portaria.store.deliveries({ eventId }, { order: 'oldest', limit: 10 });
      return Object.fromEntries(rows.map(({ handler, status, replay }) => [replay ?? handler, status]));
    },
    async machine() {
      const [state] = await portaria.store.listMachineStates({ machine: 'last', limit: 1 });
      return state?.state;
    },
  };
}

test("given a record with the event's content, the event is confirmed and every handler receives it", async () => {
  const { receive, flags, seen, machine, provider } = await open(recordWith('pending'));

  const id = await receive('pending', 'overdue', 'pending');

  expect(await flags(id)).toEqual(['ambiguous', 'confirmed']);
  expect(seen.slice(-2).sort()).toEqual([
    'all: pending (ambiguous, confirmed)',
    'plain: pending (ambiguous, confirmed)',
  ]);
  expect(await machine()).toEqual({ status: 'pending', folded: 3 });
  // One request for all three deliveries.
  expect(provider.requests).toEqual(['http://provider.example/v1/charges/7']);
});

test('given a record with the content before, the event is superseded and only stale handlers receive it', async () => {
  const { receive, flags, seen, machine, deliveries } = await open(recordWith('overdue'));

  const id = await receive('pending', 'overdue', 'pending');

  expect(await flags(id)).toEqual(['ambiguous', 'superseded']);
  expect(seen.slice(4)).toEqual(['all: pending (ambiguous, superseded)']);
  expect(await deliveries(id)).toEqual({ plain: 'skipped', all: 'succeeded', last: 'skipped' });
  expect(await machine()).toEqual({ status: 'overdue', folded: 2 });
});

test('a superseded event is excluded from the next fold and from a rebuild', async () => {
  const { receive, machine, portaria } = await open(recordWith('overdue'));

  await receive('pending', 'overdue', 'pending', 'paid');
  expect(await machine()).toEqual({ status: 'paid', folded: 3 });

  const { store, registry } = portaria;
  const request = { machine: 'last', dryRun: false };
  const rebuilt = [];
  for await (const one of rebuildMachines({ store, registry, clock: manualClock() }, request))
    rebuilt.push(one);
  expect(rebuilt).toHaveLength(1);
  expect(await machine()).toEqual({ status: 'paid', folded: 3 });
});

test('after a late redelivery the real return is not a duplicate', async () => {
  const { receive, flags, post, seen, provider } = await open(recordWith('overdue'));
  await receive('pending', 'overdue', 'pending');

  expect((await post('overdue')).body.status, 'the latest event').toBe('duplicate');
  provider.respond = recordWith('pending');
  const id = await receive('pending');

  expect(await flags(id)).toEqual(['ambiguous', 'confirmed']);
  expect(seen.findLast((line) => line.startsWith('plain'))).toBe('plain: pending (ambiguous, confirmed)');
});

test('an event that is repeated during the check stays unconfirmed, because one of the two may be the return', async () => {
  const { receive, post, flags, seen, provider, portaria } = await open(recordWith('overdue'));
  await receive('pending', 'overdue');
  const { promise, resolve: respond } = Promise.withResolvers<Response>();
  provider.respond = () => promise;

  const { body } = await post('pending');
  while (provider.requests.length === 0) await nextTick();
  expect((await post('pending')).body.status).toBe('duplicate');
  respond(await recordWith('overdue')());
  await portaria.dispatcher.idle();

  expect(await flags(body.id)).toEqual(['ambiguous', 'unconfirmed']);
  expect(seen).toContain('plain: pending (ambiguous, unconfirmed)');
});

test('given a provider that is down, the event is unconfirmed and applied, and no request follows for a minute', async () => {
  const { receive, flags, seen, clock, provider, logged } = await open(down);

  const id = await receive('pending', 'overdue', 'pending');
  expect(await flags(id)).toEqual(['ambiguous', 'unconfirmed']);
  expect(seen.at(-1)).toMatch(/pending \(ambiguous, unconfirmed\)$/);
  expect(logged.map(({ message }) => message)).toContain(
    `event ${id} returned to earlier content: unconfirmed (readCharge received no response: ECONNREFUSED)`,
  );

  provider.respond = recordWith('pending');
  expect(await flags(await receive('overdue'))).toEqual(['ambiguous', 'unconfirmed']);
  expect(provider.requests).toHaveLength(1);
  clock.advance(60_000);
  expect(await flags(await receive('pending'))).toEqual(['ambiguous', 'confirmed']);
});

test('the webhook is acknowledged before the check, and a provider that does not respond delays the event by five seconds', async () => {
  const { receive, post, flags, seen, clock, provider, portaria } = await open(
    () => new Promise(() => undefined),
  );
  await receive('pending', 'overdue');

  const { status, body } = await post('pending');
  expect(status).toBe(202);
  while (provider.requests.length === 0) await nextTick();
  expect(seen).toHaveLength(4);
  clock.advance(5_000);
  await portaria.dispatcher.idle();

  expect(await flags(body.id)).toEqual(['ambiguous', 'unconfirmed']);
  expect(seen).toHaveLength(6);
});

test.each<[string, Respond]>([
  ['is not found', () => Response.json({ error: 'Not Found' }, { status: 404 })],
  ['has a third content', recordWith('paid')],
  ['is not JSON', () => new Response('<html>')],
])('given a record that %s, the event is unconfirmed and applied', async (_, respond) => {
  const { receive, flags, deliveries } = await open(respond);

  const id = await receive('pending', 'overdue', 'pending');

  expect(await flags(id)).toEqual(['ambiguous', 'unconfirmed']);
  expect(await deliveries(id)).toEqual({ plain: 'succeeded', all: 'succeeded', last: 'succeeded' });
});

test('events of another source are not checked, because its ids are its own', async () => {
  const { post, flags, provider, portaria } = await open(recordWith('overdue'));
  for (const status of ['pending', 'overdue'] as const) await post(status, '/webhooks/branch');

  const { body } = await post('pending', '/webhooks/branch');
  await portaria.dispatcher.idle();

  expect(await flags(body.id)).toEqual(['ambiguous']);
  expect(provider.requests).toEqual([]);
});

test('a replay does not check again: the resolution of the event stands', async () => {
  const { receive, seen, provider, portaria, deliveries, clock } = await open(recordWith('overdue'));
  const late = await receive('pending', 'overdue', 'pending');
  provider.respond = recordWith('pending');
  const real = await receive('pending');
  seen.length = 0;

  const { store } = portaria;
  const handlers = ['plain', 'all'];
  const { id } = await createReplay(store, { filter: {}, handlers }, clock.now());
  const rows = handlers.map((handler) => ({
    route: { handler, order: 'subject' as const, stale: handler === 'all' },
    events: [late, real].map(eventNumber),
  }));
  await store.enqueueReplay(id, rows, { cursor: real, now: clock.now() });
  portaria.dispatcher.wake();
  await portaria.dispatcher.idle();

  expect(provider.requests).toHaveLength(2);
  expect(seen.sort()).toEqual([
    'all: pending (ambiguous, confirmed)',
    'all: pending (ambiguous, superseded)',
    'plain: pending (ambiguous, confirmed)',
  ]);
  expect(await deliveries(late)).toMatchObject({ plain: 'skipped' });
});

test('a stop does not wait for the provider, and the event is checked after the next start', async () => {
  const { receive, post, flags, deliveries, provider, portaria } = await open(
    () => new Promise(() => undefined),
  );
  await receive('pending', 'overdue');
  const { body } = await post('pending');
  while (provider.requests.length === 0) await nextTick();

  await portaria.dispatcher.stop(0);

  expect(await flags(body.id)).toEqual(['ambiguous']);
  expect(await deliveries(body.id)).toEqual({ plain: 'pending', all: 'pending', last: 'pending' });
});
