/** Two sources of two organizations, each with an API of its own: nothing of one is asked at the other. */
import { expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { listenLocally } from '../support/receiving-server.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { setImmediate as nextTick } from 'node:timers/promises';

/** A provider that shows charge 7 as overdue, and notes who asks. */
async function provider(key: string) {
  const asked: string[] = [];
  const { port } = await listenLocally({
    clock: manualClock(),
    log: silentLogger,
    handle(request, response) {
      asked.push(`${String(request.headers['x-api-key'])} ${request.url ?? ''}`);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: { id: 7, type: 'fee', status: 'overdue' } }));
    },
  }).then((listener) => (onTestFinished(() => listener.close(0)), listener));
  return { asked, api: { apiUrl: `http://127.0.0.1:${String(port)}`, apiKey: key } };
}

async function open() {
  const [north, south] = [await provider('key-of-north'), await provider('key-of-south')];
  const flags: string[] = [];
  const sources = {
    default: north.api,
    south: { verify: 'none', ...south.api },
    bare: { verify: 'none' },
  };
  const portaria = await createPortaria({
    config: loadConfig(
      {
        PORTARIA_DATABASE: ':memory:',
        PORTARIA_LOG_LEVEL: 'silent',
        PORTARIA_SOURCES: JSON.stringify(sources),
      },
      '/',
    ),
    handlers: [
      defineHandler({
        name: 'reader',
        on: 'charge.updated',
        stale: true,
        async handle({ data, flags: found, source }, { client }) {
          flags.push(`${source}: ${found.join()}`);
          if (data.status === 'paid') await client?.charges.read(7);
        },
      }),
    ],
  });
  onTestFinished(() => portaria.stop());
  await portaria.dispatcher.start();
  async function post(path: string, status: string): Promise<void> {
    const body = JSON.stringify({ type: 'charge.updated', data: { id: 7, type: 'fee', status } });
    const before = flags.length;
    await portaria.app.request(path, { method: 'POST', body });
    while (flags.length === before) await nextTick();
  }
  return { north, south, flags, post };
}

test('an ambiguous event is resolved by the API of its source; a source without one asks nobody', async () => {
  const { north, south, flags, post } = await open();

  for (const path of ['/webhooks/south', '/webhooks/bare', '/webhooks'])
    for (const status of ['overdue', 'pending', 'overdue']) await post(path, status);

  expect(flags.filter((flag) => flag.includes('ambiguous'))).toEqual([
    'south: ambiguous,confirmed',
    'bare: ambiguous',
    'default: ambiguous,confirmed',
  ]);
  expect(south.asked).toEqual([expect.stringMatching(/key-of-south .*\/charges\/7/)]);
  expect(north.asked).toEqual([expect.stringMatching(/key-of-north .*\/charges\/7/)]);
});

test('a handler has the client of the event’s source, or that of plain /webhooks', async () => {
  const { north, south, post } = await open();
  await post('/webhooks/south', 'paid');
  await expect.poll(() => south.asked.length).toBe(1);
  expect(north.asked).toEqual([]);

  await post('/webhooks/bare', 'paid');
  await expect.poll(() => north.asked.length).toBe(1);
  expect(south.asked).toHaveLength(1);
});

test.each<[string, object, string, RegExp]>([
  ['a key without a URL', { apiKey: 'k' }, 'apiUrl', /together/],
  ['a URL without a key', { apiUrl: 'https://a.example' }, 'apiKey', /together/],
  ['no URL', { apiUrl: 'a.example', apiKey: 'k' }, 'apiUrl', /http/],
  ['a placeholder', { apiUrl: 'https://a.example', apiKey: 'replace-me' }, 'apiKey', /placeholder/],
  ['a key twice', { apiUrl: 'https://a.example', apiKey: 'k', apiKeyFile: '/x' }, 'apiKeyFile', /keep one/],
])('%s is a mistake, and the key is not told', (_what, fields, field, message) => {
  let problems: readonly { readonly where: string; readonly message: string }[] = [];
  try {
    loadConfig({ PORTARIA_SOURCES: JSON.stringify({ south: { verify: 'none', ...fields } }) }, '/');
  } catch (error) {
    ({ problems } = error as { problems: typeof problems });
  }
  expect(problems.find(({ where }) => where === `PORTARIA_SOURCES.south.${field}`)?.message).toMatch(message);
});
