import { expect, test } from 'vitest';
import { answer, collected, failing, rejection, scripted, silent, type Reaction } from './client-world.ts';
import { done, progress, stream, told } from './scripted-stream.ts';

test.each<[string, Reaction]>([
  ['is closed', stream([progress(1, 'a')])],
  ['breaks', stream([progress(1, 'a')], 'break')],
  ['says nothing for too long', stream([progress(1, 'a')], 'hang')],
])('one that %s is opened anew, from the last event on', async (_, first) => {
  const { client, finish, requests } = scripted([first, stream([progress(2), done])]);

  expect(told(await finish(collected(client.companies.streamSync(12))))).toEqual([1, 2, 'done']);
  const lastEventIds = requests.map(({ init }) => new Headers(init.headers).get('last-event-id'));
  expect(lastEventIds).toEqual([null, 'a']);
});

test('comments keep it alive', async () => {
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

  expect(told(await finish(collected(client.companies.streamSync(12))))).toEqual(['done']);
  expect(requests).toHaveLength(1);
});

test('the pauses grow while nothing comes, and start over when something does', async () => {
  const { client, finish, requests } = scripted([
    failing('ECONNREFUSED'),
    answer(503),
    stream([progress(1)]),
    answer(502),
    silent,
    stream([done]),
  ]);

  await finish(collected(client.companies.streamSync(12, { timeoutMs: 1_000 })));

  const pauses = requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0));
  expect(pauses).toEqual([250, 500, 250, 500, 1_000 + 1_000]);
});

test('as many tries in a row as the policy has, and then it fails with the last one', async () => {
  const { client, finish, requests } = scripted([stream([]), stream([]), stream([])], {
    retry: { attempts: 3 },
  });

  expect(await rejection(finish(collected(client.companies.streamSync(12))))).toMatchObject({
    code: 'unreachable',
    message: 'streamSync was cut off before its end',
  });
  expect(requests).toHaveLength(3);
});

test('the server may ask for a longer pause', async () => {
  const { client, finish, requests } = scripted([stream([`retry: 5000\n${progress(1)}`]), stream([done])]);

  await finish(collected(client.companies.streamSync(12)));

  expect(requests.map(({ at }) => at)).toEqual([0, 5_250]);
});

test('an import that ended while nobody was connected ends the iteration', async () => {
  const { client, finish } = scripted([stream([progress(9)]), answer(404, { error: 'Not Found' })]);

  expect(told(await finish(collected(client.companies.streamSync(12))))).toEqual([9]);
});
