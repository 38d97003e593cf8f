/** The client in a handler's context, with Portaria composed as `serve` composes it. */
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { createPortaria, type PortariaOptions } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { listening } from '../../provider/test/kit/listening.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { testContext } from '../../src/testing/test-context.ts';
import { company } from '../../provider/test/kit/people.ts';
import { openTestProvider } from '../../provider/test/kit/test-provider.ts';
import { scripted } from './client-setup.ts';

const charge = (id: number) => ({ type: 'charge.updated', data: { id, type: 'fee', status: 'pending' } });

/** Runs a handler on two events, and returns its two results. */
async function resultsOf<T>(
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
        name: 'reads',
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

test('the client is null without settings', async () => {
  expect(await resultsOf((client) => client, {})).toEqual([null, null]);
});

test('the client calls the provider with the configured URL and key, and is shared by all events', async () => {
  const { app, ours } = await openTestProvider();
  const { data } = await ours.post('/v1/companies', company);
  const { port } = await listening(app);
  const env = { PORTARIA_API_URL: `http://127.0.0.1:${String(port)}`, PORTARIA_API_KEY: ours.key };

  const clients = new Set<Client | null>();
  const names = await resultsOf(async (client) => {
    clients.add(client);
    return (await client?.companies.read(Number(data['id'])))?.name;
  }, env);

  expect(names).toEqual([company.name, company.name]);
  expect(clients.size).toBe(1);
});

test('a response that does not match the contract is logged without its values', async () => {
  const { app, ours } = await openTestProvider();
  app.get('/strange/v1/users/1', (c) => c.json({ data: { id: 1, status: '', email: { secret: 'ana' } } }));
  const { port } = await listening(app);
  const { log, logged } = testContext();
  const env = { PORTARIA_API_URL: `http://127.0.0.1:${String(port)}/strange`, PORTARIA_API_KEY: ours.key };

  await resultsOf((client) => client?.users.read(1), env, { log });

  const drifts = logged.filter(({ fields }) => JSON.stringify(fields).includes('provider.drift'));
  expect(drifts[0]).toMatchObject({
    level: 'warn',
    fields: { operation: 'readUser', path: 'response.data.email' },
    message: expect.stringContaining('expected a string, received an object'),
  });
  expect(JSON.stringify(drifts)).not.toContain('ana');
});

test('an application that embeds Portaria may pass its own client', async () => {
  const { client } = scripted([]);

  expect(await resultsOf((given) => given === client, {}, { client })).toEqual([true, true]);
});
