import { expect, test } from 'vitest';
import { respond, collected, failWith, rejection, scripted, silent, type Reaction } from './client-setup.ts';
import { done, progress, stream, summaryOf } from './scripted-stream.ts';

test.each<[string, Reaction]>([
  ['is closed', stream([progress(1, 'a')])],
  ['breaks', stream([progress(1, 'a')], 'break')],
  ['is idle for too long', stream([progress(1, 'a')], 'hang')],
])('a connection that %s is replaced, and the stream continues after the last event', async (_, first) => {
  const { client, finish, requests } = scripted([first, stream([progress(2), done])]);

  expect(summaryOf(await finish(collected(client.companies.sync.stream(12))))).toEqual([1, 2, 'done']);
  const lastEventIds = requests.map(({ init }) => new Headers(init.headers).get('last-event-id'));
  expect(lastEventIds).toEqual([null, 'a']);
});

test('comments keep a connection alive', async () => {
  const { client, finish, requests, clock } = scripted(
    [
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              await new Promise<void>((resolve) => clock.after(60_000, resolve));
              controller.enqueue(
                new TextEncoder().encode(clock.monotonic() < 300_000 ? ': still here\n\n' : done),
              );
            },
          }),
        ),
    ],
    { idleMs: 90_000 },
  );

  expect(summaryOf(await finish(collected(client.companies.sync.stream(12))))).toEqual(['done']);
  expect(requests).toHaveLength(1);
});

test('the delays grow while no event arrives, and start over after an event', async () => {
  const { client, finish, requests } = scripted([
    failWith('ECONNREFUSED'),
    respond(503),
    stream([progress(1)]),
    respond(502),
    silent,
    stream([done]),
  ]);

  await finish(collected(client.companies.sync.stream(12, { timeoutMs: 1_000 })));

  const delays = requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0));
  expect(delays).toEqual([250, 500, 250, 500, 1_000 + 1_000]);
});

test('after as many failures in a row as the policy allows, the stream fails with the last error', async () => {
  const { client, finish, requests } = scripted([stream([]), stream([]), stream([])], {
    retry: { attempts: 3 },
  });

  expect(await rejection(finish(collected(client.companies.sync.stream(12))))).toMatchObject({
    code: 'unreachable',
    message: 'streamSync lost its connection before the last event',
  });
  expect(requests).toHaveLength(3);
});

test('the server may request a longer delay', async () => {
  const { client, finish, requests } = scripted([stream([`retry: 5000\n${progress(1)}`]), stream([done])]);

  await finish(collected(client.companies.sync.stream(12)));

  expect(requests.map(({ at }) => at)).toEqual([0, 5_250]);
});

test('an import that ended between two connections ends the iteration', async () => {
  const { client, finish } = scripted([stream([progress(9)]), respond(404, { error: 'Not Found' })]);

  expect(summaryOf(await finish(collected(client.companies.sync.stream(12))))).toEqual([9]);
});
