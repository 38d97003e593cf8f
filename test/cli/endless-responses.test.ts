/** Receivers whose responses never end, over real connections. */
import { expect, test } from 'vitest';
import { postBody } from '../../src/cli/commands/send/send-command.ts';
import { createPost } from '../../src/jobs/replay/post-event.ts';
import type { StoredDelivery } from '../../src/event/stored-event.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { openEndlessServer } from '../support/endless-server.ts';
import { cliEnvironment } from './kit/cli-environment.ts';

const MiB = 1024 * 1024;

test('send reads at most 64 KiB of a response, and says so', async () => {
  const server = await openEndlessServer();

  const { code, err } = await cliEnvironment().run('send', 'charge.created', '--url', server.url);

  expect(code).toBe(1);
  expect(err).toContain(`${server.url} responded 200, but: more than the limit of 64 KiB`);
  await server.disconnected;
  expect(server.bytesSent()).toBeLessThan(24 * MiB);
});

test('send waits 30 seconds for a complete response, and says so', async () => {
  const server = await openEndlessServer({ begin: '{', chunk: '' });
  const clock = manualClock();
  const verify = { scheme: 'none', messageIdHeader: 'webhook-id' } as const;

  const headers = Promise.withResolvers<undefined>();
  const terminal: Parameters<typeof postBody>[0]['terminal'] = {
    clock,
    async fetch(...request) {
      const response = await fetch(...request);
      // By then the command reads the body.
      setImmediate(() => headers.resolve(undefined));
      return response;
    },
  };

  const posted = postBody({ url: server.url, bytes: new Uint8Array(2), verify, terminal });
  const failed = posted.catch((error: unknown) => error);
  await headers.promise;
  clock.advance(30_000);

  expect(await failed).toMatchObject({
    message: `${server.url} responded 200, but: no complete response within 30 s`,
  });
  await server.disconnected;
});

test.each([
  [200, { status: 'delivered' }],
  [422, { status: 'rejected', reason: 'responded 422' }],
])(
  'the target of a replay decides by its status %i, and the rest of its response is not read',
  async (status, outcome) => {
    const server = await openEndlessServer({ status });
    const post = createPost(
      { secret: null, timeoutMs: 10_000, giveUp: [422] },
      { fetch, clock: manualClock() },
    )(server.url);
    const event = {
      id: 'a-1',
      kind: 'charge.created',
      subject: { family: 'charge', id: '1' },
      source: 'default',
      headers: {},
    };

    expect(await post(event as StoredDelivery, new Uint8Array(2))).toEqual(outcome);
    await server.disconnected;
    expect(server.bytesSent()).toBeLessThan(24 * MiB);
  },
);
