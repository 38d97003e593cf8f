/** Handshakes that a function of `defineSource` answers. */
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { defined, get, sold, toShop } from './kit/asked-receivers.ts';

describe('given a function for the handshake', () => {
  test('what it returns is the answer, and a webhook goes on', async () => {
    const portaria = await defined({
      handshake: ({ method, query, body }) => {
        if (method === 'GET') return { body: `hello ${query['name'] ?? ''}` };
        return Buffer.from(body).includes('register')
          ? { status: 201, body: { registered: true } }
          : undefined;
      },
    });

    expect(await get(portaria, '/webhooks/shop?name=ana')).toMatchObject({ status: 200, text: 'hello ana' });
    expect(await toShop(portaria, '{"register":1}')).toMatchObject({
      status: 201,
      text: '{"registered":true}',
    });
    expect((await toShop(portaria, sold)).status).toBe(202);
  });

  test.each<[unknown, number]>([
    [false, 202],
    [null, 202],
    [true, 500],
    ['', 500],
    [[], 500],
  ])('one that returns %j loses no webhook', async (returned, status) => {
    const portaria = await defined({ handshake: (() => returned) as () => undefined });
    expect((await toShop(portaria, sold)).status).toBe(status);
  });

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  test.each<[string, object]>([
    ['a BigInt', { body: { id: 1n } }],
    ['a circle', { body: circle }],
    ['a function as its body', { body: () => 7 }],
    ['a line break in a header', { headers: { 'x-a': 'a\r\nx-b: c' } }],
    ['a line break in the type', { headers: { 'content-type': 'text/html\n' } }],
    ['a header that is no text', { headers: { 'x-a': 1 } }],
    ['headers that are a text', { headers: 'abc' }],
    ['a name with a space', { headers: { 'x a': 'a' } }],
    ['a length of its own', { headers: { 'Content-Length': '1' } }],
    ['a status beyond 599', { status: 999 }],
    ['a status that is no number', { status: '200' }],
  ])('one that answers with %s is a 500, and the log says so', async (_what, answer) => {
    const failures: unknown[] = [];
    const error = ({ err }: { readonly err?: Error }) => failures.push(...(err ? [err.message] : []));
    const portaria = await defined(
      { handshake: () => answer },
      { clock: systemClock, log: { ...silentLogger, error } },
    );
    const { port } = await portaria.start();
    const response = await fetch(`http://127.0.0.1:${String(port)}/webhooks/shop`);
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: 'Internal Server Error', message: 'Internal error; the webhook was not stored' },
    ]);
    expect(failures).toEqual([expect.stringMatching(/^the handshake of source shop returned /)]);
  });

  test.each([204, 205, 304])('status %i has no body', async (status) => {
    const portaria = await defined({ handshake: () => ({ status, body: 'text' }) });
    expect(await get(portaria, '/webhooks/shop')).toMatchObject({ status, text: '' });
  });

  test('a repeated parameter is an error, because the function would see one of them', async () => {
    const portaria = await defined({ handshake: ({ query }) => ({ body: query['a'] ?? '' }) });
    expect(await get(portaria, '/webhooks/shop?a=1&a=2')).toMatchObject({
      status: 400,
      text: expect.stringContaining('The query parameter a was sent more than once') as string,
    });
  });

  test('one that changes the request changes nothing that is stored', async () => {
    const portaria = await defined({
      handshake({ body }) {
        body.fill(32);
        return undefined;
      },
    });
    expect((await toShop(portaria, sold)).status).toBe(202);
  });

  test('one that throws, or takes too long, is an error that says nothing of it', async () => {
    const clock = manualClock();
    const failing = await defined({
      handshake: () => {
        throw new Error('secret');
      },
    });
    const asked = Promise.withResolvers<void>();
    const handshake = () => {
      asked.resolve();
      return new Promise<undefined>(() => undefined);
    };
    const hanging = await defined({ handshake }, { clock });

    expect(await toShop(failing, sold)).toMatchObject({
      status: 500,
      text: expect.not.stringContaining('secret'),
    });
    const answer = toShop(hanging, sold);
    await asked.promise;
    clock.advance(5_000);
    expect((await answer).status).toBe(500);
  });
});
