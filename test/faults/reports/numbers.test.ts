/** Reports about numbers: ids that no double holds. */
import { expect, onTestFinished } from 'vitest';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { forward } from '../../../handlers/forward.ts';
import { createPortaria } from '../../../src/compose.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { defineHandler } from '../../../src/handle/define/handler.ts';
import { report } from './report.ts';

async function target() {
  const requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { requests, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/` };
}

report(
  'two ids beyond 2^53 that differ in the last digit',
  'each is an event, and has its digits in the forwarded body, the subject and the data',
  async () => {
    const { requests, url } = await target();
    const handled: unknown[] = [];
    const portaria = await createPortaria({
      config: loadConfig({ PORTARIA_DATABASE: ':memory:', PORTARIA_LOG_LEVEL: 'silent' }, '/'),
      handlers: [
        forward({ url, timeoutMs: 5_000 }),
        defineHandler({ name: 'own', on: '*', handle: ({ data }) => void handled.push(data) }),
      ],
    });
    onTestFinished(() => portaria.stop());
    await portaria.dispatcher.start();
    const bodies = ['738529527931269425', '738529527931269424'].map(
      (id) =>
        `{"type":"order.created","data":{"id":${id},"lines":[{"item":${id}}],"text":"${id}","total":1.5}}`,
    );

    for (const status of [202, 200])
      for (const body of bodies)
        expect((await portaria.app.request('/webhooks', { method: 'POST', body })).status).toBe(status);
    await portaria.dispatcher.idle();

    expect(requests.map(({ body }) => body).toSorted()).toEqual(bodies.toSorted());
    expect(requests.map(({ headers }) => headers['portaria-subject']).toSorted()).toEqual([
      'order:738529527931269424',
      'order:738529527931269425',
    ]);
    expect(handled).toContainEqual({
      id: '738529527931269425',
      lines: [{ item: '738529527931269425' }],
      text: '738529527931269425',
      total: 1.5,
    });
  },
);
