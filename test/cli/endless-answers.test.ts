/** Targets of the command line whose answers never end, over real connections. */
import { expect, test } from 'vitest';
import { postBody } from '../../src/cli/commands/send/post-body.ts';
import { createPost } from '../../src/cli/http/post-event.ts';
import type { StoredDelivery } from '../../src/event/stored-event.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { openEndlessServer } from '../support/endless-server.ts';
import { cliWorld } from './cli-world.ts';

const MiB = 1024 * 1024;

test('send reads 64 KiB of an answer, and says so', async () => {
  const server = await openEndlessServer();

  const { code, err } = await cliWorld().run('send', 'charge.created', '--url', server.url);

  expect(code).toBe(1);
  expect(err).toContain(`${server.url} answered 200 with more than the limit of 64 KiB`);
  await server.cut;
  expect(server.poured()).toBeLessThan(24 * MiB);
});

test('send waits 30 seconds for the whole answer, and says so', async () => {
  const server = await openEndlessServer({ begin: '{', chunk: '' });
  const clock = manualClock();
  const verify = { scheme: 'none', messageIdHeader: 'webhook-id' } as const;

  const posted = postBody({ url: server.url, bytes: new Uint8Array(2), verify, terminal: { fetch, clock } });
  const failed = posted.catch((error: unknown) => error);
  await server.begun;
  clock.advance(30_000);

  expect(await failed).toMatchObject({ message: `${server.url} gave no whole answer within 30 s` });
  await server.cut;
});

test.each([
  [200, { status: 'delivered' }],
  [422, { status: 'refused', reason: 'answered 422' }],
])(
  'the target of a replay is judged by its status %i, and its answer is cut off',
  async (status, outcome) => {
    const server = await openEndlessServer({ status });
    const post = createPost(
      { url: server.url, secret: null, timeoutMs: 10_000 },
      { fetch, clock: manualClock() },
    );
    const event = {
      id: 'a-1',
      kind: 'charge.created',
      subject: { family: 'charge', id: '1' },
      source: 'default',
    };

    expect(await post(event as StoredDelivery, new Uint8Array(2))).toEqual(outcome);
    await server.cut;
    expect(server.poured()).toBeLessThan(24 * MiB);
  },
);
