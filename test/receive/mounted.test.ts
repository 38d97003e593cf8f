/** The receiver in applications whose other parts read bodies, over real sockets. */
import { createRequire } from 'node:module';
import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import { fastify } from 'fastify';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';

interface Express {
  (): RequestListener & { use(...handlers: readonly unknown[]): void };
  json(options?: object): unknown;
  raw(options: object): unknown;
}
const express = createRequire(import.meta.url)('express') as Express;

const env = { PORTARIA_DATABASE: ':memory:', PORTARIA_LOG_LEVEL: 'silent' };
const portaria = await createPortaria({ config: loadConfig(env, '/'), handlers: [] });
afterAll(() => portaria.stop());
const { app } = portaria;
const receive = getRequestListener(app.fetch);

const mounts: Readonly<Record<string, () => RequestListener | Promise<RequestListener>>> = {
  'hono/body-limit': () => behind(bodyLimit({ maxSize: 1_000_000 })),
  'c.req.raw.clone()': () =>
    behind(createMiddleware(async (c, next) => (await c.req.raw.clone().text(), next()))),
  'c.req.raw.clone() that is not read': () =>
    behind(createMiddleware(async (c, next) => (c.req.raw.clone(), next()))),
  'c.req.text()': () => behind(createMiddleware(async (c, next) => (await c.req.text(), next()))),
  'c.req.json()': () => behind(createMiddleware(async (c, next) => (await c.req.json(), next()))),
  'c.req.arrayBuffer()': () =>
    behind(createMiddleware(async (c, next) => (await c.req.arrayBuffer(), next()))),
  'express.raw()': () => inExpress(express.raw({ type: '*/*' }), receive),
  'express.json() that keeps the bytes': () =>
    inExpress(
      express.json({
        verify: (incoming: object, _: unknown, rawBody: Buffer) => Object.assign(incoming, { rawBody }),
      }),
      receive,
    ),
  'Express, before express.json()': () => inExpress(receive, express.json()),
  'Fastify without its parsers': async () => {
    const server = fastify();
    await server.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, parsed) => {
        parsed(null);
      });
      scope.post('/webhooks', (incoming, reply) => {
        reply.hijack();
        void receive(incoming.raw, reply.raw);
      });
      done();
    });
    await server.ready();
    return server.routing;
  },
};

const tooLate: typeof mounts = {
  'express.json()': () => inExpress(express.json(), receive),
  'Fastify with its parsers': async () => {
    const server = fastify();
    server.post('/webhooks', (incoming, reply) => {
      reply.hijack();
      void receive(incoming.raw, reply.raw);
    });
    await server.ready();
    return server.routing;
  },
  'c.req.raw.text()': () => behind(createMiddleware(async (c, next) => (await c.req.raw.text(), next()))),
};

function behind(middleware: MiddlewareHandler): RequestListener {
  const listener = getRequestListener(new Hono().use(middleware).route('/', app).fetch);
  return (incoming, response) => void listener(incoming, response);
}

function inExpress(...handlers: readonly unknown[]): RequestListener {
  const server = express();
  server.use(...handlers);
  return server;
}

let id = 0;
const nextBody = (more = 0) =>
  JSON.stringify({ type: 'order.created', data: { id: (id += 1), name: 'José', more: 'x'.repeat(more) } });

async function send(listener: RequestListener, body: string | Buffer, chunked: boolean) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const headers = {
    'content-type': 'application/json',
    ...(!chunked && { 'content-length': Buffer.byteLength(body) }),
  };
  const sent = request({ port, path: '/webhooks', method: 'POST', headers });
  if (chunked) sent.write(body.slice(0, 9));
  sent.end(chunked ? body.slice(9) : body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: JSON.parse(await text(response)) as object };
}

describe.each([
  ['chunked', true],
  ['with a length', false],
])('a body %s is received', (_how, chunked) => {
  test.each(Object.keys(mounts))('behind %s', async (name) => {
    const listener = (await mounts[name]?.()) as RequestListener;
    for (const more of [0, 90_000]) {
      const body = nextBody(more);
      expect(await send(listener, body, chunked)).toMatchObject({ status: 202 });
      expect(await send(listener, body, chunked)).toMatchObject({ status: 200 });
    }
  });

  test.each(Object.keys(tooLate))('too late behind %s, and the response says why', async (name) => {
    const response = await send((await tooLate[name]?.()) as RequestListener, nextBody(), chunked);
    expect(response).toMatchObject({ status: 500 });
    expect(JSON.stringify(response.body)).toContain('mount Portaria before what parses bodies');
  });
});

test.each([true, false])(
  'bytes that decoding has changed are not taken for those that were sent',
  async (chunked) => {
    const listener = (await mounts['c.req.text()']?.()) as RequestListener;
    const body = Buffer.concat([
      Buffer.from('{"type":"a.b","data":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    expect(await send(listener, body, chunked)).toMatchObject({ status: 500 });
  },
);
