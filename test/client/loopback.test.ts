/** The client over real sockets, with Node's own fetch. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { listening } from '../../provider/test/kit/listening.ts';
import { company } from '../../provider/test/kit/people.ts';
import { openTestProvider } from '../../provider/test/kit/test-provider.ts';
import { collected, rejection } from './client-setup.ts';

test('records, pages and error responses', async () => {
  const { app, ours } = await openTestProvider();
  const { port } = await listening(app);
  const client = createClient({ url: `http://127.0.0.1:${String(port)}`, apiKey: ours.key });

  const { id } = await client.companies.create(company);

  expect(await client.companies.read(id)).toMatchObject(company);
  expect(await collected(client.companies.all())).toHaveLength(1);
  expect(await rejection(client.companies.create(company))).toMatchObject({ code: 'conflict' });
});

test('a stream reconnects after its connection broke, and a missing server is unreachable', async () => {
  let connections = 0;
  const server = createServer((_request, response) => {
    connections += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (connections === 1) {
      response.write(': hello\n\n', () => response.destroy());
      return;
    }
    response.end('event: done\ndata: {"status":"success"}\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({
    url: `http://127.0.0.1:${String(port)}`,
    apiKey: 'key',
    clock: systemClock,
    retry: { baseMs: 1 },
  });

  expect(await collected(client.companies.sync.stream(1))).toEqual([
    { event: 'done', data: { status: 'success' } },
  ]);
  await new Promise((resolve) => server.close(resolve));
  expect(await rejection(client.users.list())).toMatchObject({ code: 'unreachable', begun: false });
});
