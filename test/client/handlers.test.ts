/** The client that handlers get, in a Portaria that is put together as `serve` does it. */
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { createPortaria, type PortariaOptions } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { defineHandler } from '../../src/handle/define/define-handler.ts';
import { listenProvider } from '../../provider/http/listen-provider.ts';
import { systemClock } from '../../src/kernel/time/system-clock.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { company } from '../../provider/test/people.ts';
import { openTestProvider } from '../../provider/test/test-provider.ts';
import { scripted } from './client-world.ts';

const charge = (id: number) => ({ type: 'charge.updated', data: { id, type: 'fee', status: 'pending' } });

/** Runs one handler on as many events, and gives what it returned for each. */
async function handled<T>(
  handle: (client: Client | null) => T,
  env: Record<string, string>,
  options: Partial<PortariaOptions> = {},
): Promise<readonly Awaited<T>[]> {
  const results: Awaited<T>[] = [];
  const settings = { PORTARIA_DATABASE: ':memory:', PORTARIA_LOG_LEVEL: 'silent', ...env };
  const portaria = await createPortaria({
    config: loadConfig(settings, '/'),
    clock: systemClock,
    handlers: [
      defineHandler({
        name: 'asks',
        on: 'charge.*',
        retry: { attempts: 1 },
        async handle(_event, { client }) {
          results.push(await handle(client));
        },
      }),
    ],
    ...options,
  });
  onTestFinished(() => portaria.stop());
  for (const id of [1, 2])
    await portaria.app.request('/webhooks', { method: 'POST', body: JSON.stringify(charge(id)) });
  await portaria.dispatcher.start();
  await portaria.dispatcher.idle();
  return results;
}

test('without settings there is none', async () => {
  expect(await handled((client) => client, {})).toEqual([null, null]);
});

test('with address and key it asks the provider, and is the same for every handler', async () => {
  const { app, ours } = await openTestProvider();
  const { data } = await ours.post('/v1/companies', company);
  const { port, close } = await listenProvider(app, '127.0.0.1', 0);
  onTestFinished(close);
  const env = { PORTARIA_API_URL: `http://127.0.0.1:${String(port)}`, PORTARIA_API_KEY: ours.key };

  const clients = new Set<Client | null>();
  const names = await handled(async (client) => {
    clients.add(client);
    return (await client?.companies.read(Number(data['id'])))?.name;
  }, env);

  expect(names).toEqual([company.name, company.name]);
  expect(clients.size).toBe(1);
});

test('an answer that is not what the contract says is logged, without its values', async () => {
  const { app, ours } = await openTestProvider();
  app.get('/strange/v1/users/1', (c) => c.json({ data: { id: 1, status: '', email: { secret: 'ana' } } }));
  const { port, close } = await listenProvider(app, '127.0.0.1', 0);
  onTestFinished(close);
  const { log, logged } = testContext();
  const env = { PORTARIA_API_URL: `http://127.0.0.1:${String(port)}/strange`, PORTARIA_API_KEY: ours.key };

  await handled((client) => client?.users.read(1), env, { log });

  const drifts = logged.filter(({ fields }) => JSON.stringify(fields).includes('provider.drift'));
  expect(drifts[0]).toMatchObject({
    level: 'warn',
    fields: { operation: 'readUser', path: 'answer.data.email' },
    message: expect.stringContaining('expected a string, received an object'),
  });
  expect(JSON.stringify(drifts)).not.toContain('ana');
});

test("who embeds it may bring a client of one's own", async () => {
  const { client } = scripted([]);

  expect(await handled((given) => given === client, {}, { client })).toEqual([true, true]);
});
