import { expect, test } from 'vitest';
import type { VerifyFunction } from '../contract/source-verification.ts';
import type { RawDelivery } from '../event/delivery.ts';
import { manualClock, type ManualClock } from '../testing/manual-clock.ts';
import { createVerifier } from './create-verifier.ts';

const body = Buffer.from('{}');

async function verifying(verify: VerifyFunction, clock: ManualClock = manualClock(), more = {}) {
  const options = { scheme: 'function', verify, secrets: ['one', 'two'], messageIdHeader: 'x-id' } as const;
  const delivery: RawDelivery = {
    ...{ stage: 'raw', source: 'partner', receivedAt: 0, headers: { 'x-id': 'sent' }, body },
    ...more,
  };
  return createVerifier(options, { clock })(delivery);
}

const notVerified = expect.objectContaining({
  code: 'not-verified',
  message: 'The verification of this source does not accept the request',
}) as Error;

test.each([
  [true, 'sent', false],
  [undefined, 'sent', false],
  ['m-1', 'm-1', true],
  [{ messageId: 'm-2' }, 'm-2', true],
  ['not an id', expect.stringMatching(/^sha256-/), true],
])('accepts the result %j', async (result, messageId, messageIdTrusted) => {
  for (const verify of [() => result, () => Promise.resolve(result)])
    expect(await verifying(verify)).toMatchObject({ senderVerified: true, messageId, messageIdTrusted });
});

test.each([false, null, '', 0, {}, NaN])('rejects the result %j', async (result) => {
  await expect(verifying(() => result as never)).rejects.toThrow(notVerified);
});

test('rejects when it throws, and keeps the error for the log', async () => {
  const cause = new Error('secret');
  for (const verify of [
    () => Promise.reject(cause),
    () => {
      throw cause;
    },
  ])
    await expect(verifying(verify)).rejects.toThrow(
      expect.objectContaining({ code: 'not-verified', cause }) as Error,
    );
});

test('a repeated parameter is rejected, because the function would see one of them', async () => {
  const more = { query: { id: '2', token: 'a' }, repeatedQuery: ['id'] };
  await expect(verifying(() => true, manualClock(), more)).rejects.toThrow(
    'The query parameter id was sent more than once; send it once',
  );
});

test('a repeated parameter is rejected, because the function would see one of them', async () => {
  const more = { query: { id: '2', token: 'a' }, repeatedQuery: ['id'] };
  await expect(verifying(() => true, manualClock(), more)).rejects.toThrow(
    'The query parameter id was sent more than once; send it once',
  );
});

test('rejects after five seconds, whatever comes later', async () => {
  const clock = manualClock();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const result = verifying(() => promise, clock);
  clock.advance(5_000);
  await expect(result).rejects.toThrow(notVerified);
  resolve(true);
});

test('gets the request and the secrets, and cannot change what is stored', async () => {
  const clock = manualClock('2026-11-20T12:00:00Z');
  const seen: unknown[] = [];
  const verified = await verifying(
    (request, context) => {
      seen.push({ ...request, headers: { ...request.headers }, body: request.body.toString() }, context);
      request.body.fill(0);
      (request.headers as Record<string, string>)['x-id'] = 'other';
    },
    clock,
    { method: 'PUT', path: '/webhooks/a%20b', query: { a: '1' } },
  );
  expect(seen).toEqual([
    { method: 'PUT', path: '/webhooks/a%20b', query: { a: '1' }, headers: { 'x-id': 'sent' }, body: '{}' },
    { secrets: ['one', 'two'], now: clock.now() },
  ]);
  expect(verified).toMatchObject({ messageId: 'sent', body: Buffer.from('{}') });
});
