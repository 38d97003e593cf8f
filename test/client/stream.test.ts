import { expect, test } from 'vitest';
import { PortariaError } from '../../src/kernel/errors.ts';
import { company } from '../../provider/test/kit/people.ts';
import { collected, openClientSetup, rejection, scripted } from './client-setup.ts';
import { done, message, progress, stream, summaryOf } from './scripted-stream.ts';

test('the stream yields every event until done, and its request carries the key', async () => {
  const { client, finish, requests, clock } = scripted([stream([progress(1), progress(2), done], 'hang')]);

  const events = await finish(collected(client.companies.sync.stream(12)));

  expect(summaryOf(events)).toEqual([1, 2, 'done']);
  expect(events.at(-1)).toEqual({ event: 'done', data: { status: 'partial_success' } });
  expect(requests[0]?.url).toBe('http://provider.example/v1/companies/12/sync/stream');
  expect(new Headers(requests[0]?.init.headers).get('x-api-key')).toBe('key-of-ours');
  expect(new Headers(requests[0]?.init.headers).get('accept')).toBe('text/event-stream');
  expect(clock.untilNext).toBeNull();
});

test('a chunk may end anywhere, even inside a character', async () => {
  const text = `: olá, ação\n\n${progress(1)}${done}`;
  const bytes = new TextEncoder().encode(text);
  const { client, finish, drifts } = scripted([
    () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        }),
      ),
  ]);

  expect(summaryOf(await finish(collected(client.companies.sync.stream(12))))).toEqual([1, 'done']);
  expect(drifts).toEqual([]);
});

test('a slow consumer does not make the connection idle', async () => {
  const { client, finish, requests, clock } = scripted([stream([progress(1), progress(2), done], 'hang')]);
  const seen: unknown[] = [];

  await finish(
    (async () => {
      for await (const event of client.companies.sync.stream(12)) {
        seen.push(event.event);
        await new Promise<void>((resolve) => clock.after(600_000, resolve));
      }
    })(),
  );

  expect(seen).toEqual(['progress', 'progress', 'done']);
  expect(requests).toHaveLength(1);
});

test("without an import the stream fails at once with the provider's explanation", async () => {
  const { client } = await openClientSetup();
  const { id } = await client.companies.create(company);

  expect(await rejection(collected(client.companies.sync.stream(id)))).toMatchObject({
    code: 'not-found',
    detail: `No active sync for company ${String(id)}`,
  });
});

test.each([
  [
    'an event of another name',
    message('paused', {}),
    { path: 'event', message: 'expected an event progress or done' },
  ],
  ['data that is not JSON', message('progress', '{'), { path: 'progress', message: 'expected JSON' }],
])('%s is reported and skipped', async (_, chunk, issue) => {
  const { client, finish, drifts } = scripted([stream([chunk, done])]);

  expect(summaryOf(await finish(collected(client.companies.sync.stream(12))))).toEqual(['done']);
  expect(drifts).toEqual([{ operation: 'streamSync', issues: [issue] }]);
});

test('an event that does not match the contract is reported and yielded', async () => {
  const { client, finish, drifts } = scripted([stream([message('done', { status: 'fine' })])]);

  expect(await finish(collected(client.companies.sync.stream(12)))).toEqual([
    { event: 'done', data: { status: 'fine' } },
  ]);
  expect(drifts).toMatchObject([{ issues: [{ path: 'done.status' }] }]);
});

test('an endless event fails the stream', async () => {
  const endless = stream(Array.from({ length: 40 }, () => 'data: x'.padEnd(100_000, 'x')));
  const { client, finish } = scripted([endless], { retry: { attempts: 1 } });

  expect(await rejection(finish(collected(client.companies.sync.stream(12))))).toMatchObject({
    code: 'unreadable',
    message: expect.stringMatching(/^streamSync received an event of more than the limit of 1 MiB/),
  });
});

test('the connection closes when the consumer stops', async () => {
  let cancelled = false;
  const { client, requests, clock } = scripted([
    () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(progress(1)));
          },
          cancel() {
            cancelled = true;
          },
        }),
      ),
  ]);

  for await (const event of client.companies.sync.stream(12)) {
    expect(event.event).toBe('progress');
    break;
  }

  expect(cancelled).toBe(true);
  expect(requests[0]?.init.signal?.aborted).toBe(true);
  expect(clock.untilNext).toBeNull();
});

test("the stream ends with the reason of the caller's signal, also between connections", async () => {
  const controller = new AbortController();
  const { client, clock } = scripted([stream([progress(1)], 'hang')]);
  const reason = new Error('enough');

  const running = rejection(collected(client.companies.sync.stream(12, { signal: controller.signal })));
  await new Promise(setImmediate);
  controller.abort(reason);

  expect(await running).toBe(reason);
  expect(clock.untilNext).toBeNull();
  expect(PortariaError.is(reason)).toBe(false);
});
