/** What `replay list` says of replays that are not over. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, expect, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';
import { once, recorder } from '../kit/recording-handler.ts';

/** A target that responds with a status to each violation. */
async function target(respond: (id: number, count: number) => number): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { id: number } };
      response.writeHead(respond(data.id, count), { 'retry-after': '0' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`;
}

const violations = (count: number) => Array.from({ length: count }, (_, at) => violation(at + 1));

test('counts what a replay to a URL has delivered, and what failed for good', async () => {
  const cli = cliEnvironment();
  await cli.seed(violations(120));
  const url = await target((id) => (id === 7 || id === 90 ? 400 : 200));
  await cli.run('replay', '--yes', '--to', url);

  expect((await cli.run('replay', 'list', '--json')).rows).toMatchObject([
    {
      id: 'r1',
      target: url,
      status: 'finished',
      events_left: 0,
      progress: { succeeded: 118, dead: 2, pending: 0, running: 0, skipped: 0 },
    },
  ]);
  expect((await cli.run('replay', 'list')).out).toMatch(/^r1 .* finished .* 0 +120 +0 +118 +2 +0$/m);
});

test('counts each event of a resumed replay to a URL once, and those that are left', async () => {
  const cli = cliEnvironment();
  await cli.seed(violations(30));
  let down = true;
  const url = await target((id, count) => (down && count > 5 ? 404 : id === 20 ? 400 : 200));
  await cli.run('replay', '--yes', '--to', url, '--concurrency', '1');
  // The last ten failures are not for good: the resumed replay starts before them.
  expect((await cli.run('replay', 'list', '--json')).rows).toMatchObject([
    { status: 'unfinished', events_left: 25, progress: { succeeded: 5, dead: 0 } },
  ]);
  expect((await cli.run('replay', 'list')).out).toMatch(/^r1 .* unfinished .* 25 +5 +0 +5 +0 +0$/m);

  down = false;
  await cli.run('replay', '--resume', 'r1');
  expect((await cli.run('replay', 'list', '--json')).rows).toMatchObject([
    { status: 'finished', events_left: 0, progress: { succeeded: 29, dead: 1 } },
  ]);
});

test('a replay whose deliveries are enqueued and still wait is not finished', async () => {
  const cli = cliEnvironment({ log: recorder('log', once) });
  await cli.seed(violations(2));
  await cli.dispatch();
  const [, second] = (await cli.run('events', 'list', '--json')).rows
    .map(({ id }) => String(id))
    .toReversed();
  await cli.withStore(async (store) => {
    const now = cli.clock.now();
    const replay = { filter: {}, handlers: ['log'], ifNotSucceeded: false, target: null };
    const { id } = await store.createReplay(replay, now);
    const route = { handler: 'log', order: 'subject', stale: true } as const;
    await store.enqueueReplay(id, [{ route, events: [1, 2] }], { cursor: second ?? '', now });
    await store.finishReplay(id);
  });
  const row = { status: 'waiting', events_left: 0, progress: { pending: 2, succeeded: 0 } };
  expect((await cli.run('replay', 'list', '--json')).rows).toMatchObject([row]);
  expect((await cli.run('replay', 'list')).out).toMatch(/^r1 .* waiting .* 0 +2 +2 +0 +0 +0$/m);

  await cli.dispatch();
  expect((await cli.run('replay', 'list', '--json')).rows).toMatchObject([
    { status: 'finished', progress: { pending: 0, succeeded: 2 } },
  ]);
});
