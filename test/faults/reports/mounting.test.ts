/** Reports about the library in an application. test/receive/mounted.test.ts has the cases beside these. */
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { expect, onTestFinished } from 'vitest';
import { composedPortaria } from '../../support/composed-portaria.ts';
import { report } from './report.ts';

async function post(listener: RequestListener): Promise<Response> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`;
  // A stream has no length, so it is sent in chunks.
  const body = new Blob(['{"type":"order.created","data":{"id":1}}']).stream();
  return fetch(url, { method: 'POST', body, duplex: 'half', headers: { connection: 'close' } });
}

report('a chunked body behind hono/body-limit', 'is received', async () => {
  const { app } = await composedPortaria({});
  const whole = getRequestListener(new Hono().use(bodyLimit({ maxSize: 9_000 })).route('/', app).fetch);
  expect((await post((request, response) => void whole(request, response))).status).toBe(202);
});

report('a body that a parser has read', 'the response says so, and how to mount before it', async () => {
  const receive = getRequestListener((await composedPortaria({})).app.fetch);
  const response = await post((request, outgoing) => {
    request.resume().once('end', () => void receive(request, outgoing));
  });
  expect(response.status).toBe(500);
  expect(await response.text()).toContain('mount Portaria before what parses bodies, such as express.json()');
});
