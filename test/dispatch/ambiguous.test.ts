import { expect, test } from 'vitest';
import type { Confirm } from '../../src/dispatch/attempt/resolve-ambiguity.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { companyEvent, setUp } from './kit/dispatch-setup.ts';

const handled: string[] = [];
const handler = defineHandler({
  name: 'plain',
  on: '*',
  retry: { attempts: 2, baseMs: 10 },
  handle: ({ id, flags }) => void handled.push([id, ...flags].join(' ')),
});

const ambiguous = (number: number, subject = '1') => ({
  ...companyEvent(number, subject),
  verdict: 'ambiguous' as const,
  flags: ['ambiguous' as const],
});

function open(find: Confirm['find']) {
  handled.length = 0;
  const asked: string[] = [];
  const confirm: Confirm = {
    asks(event) {
      asked.push(event.id);
      return true;
    },
    find,
  };
  return { asked, ...setUp([handler], { confirm }) };
}
const confirms: Confirm['find'] = () => Promise.resolve({ resolution: 'confirmed', reason: null });

test('does not ask the provider about events that are not ambiguous', async () => {
  const { dispatcher, give, until, asked } = open(confirms);
  const rows = [give('plain'), give('plain', 1, { event: { ...companyEvent(2, '1'), verdict: 'stale' } })];

  await dispatcher.start();
  await until(() => rows.every(({ status }) => status === 'succeeded'));

  expect(asked).toEqual([]);
  expect(handled).toEqual(['sample-1', 'sample-2']);
});

test('an error while asking fails the attempt, and the lane continues', async () => {
  const { dispatcher, give, until } = open(() => Promise.reject(new TypeError('a mistake of ours')));
  const lost = give('plain', 1, { event: ambiguous(1) });
  const next = give('plain', 1);

  await dispatcher.start();
  await until(() => next.status === 'succeeded');

  expect(lost).toMatchObject({
    status: 'dead',
    attempts: 2,
    lastError: expect.stringContaining('a mistake of ours'),
  });
  expect(handled).toEqual(['sample-2']);
});

test('a store that cannot record the resolution costs no attempt', async () => {
  const { dispatcher, give, store, until } = open(confirms);
  let failures = 7;
  store.failure = (operation) =>
    operation === 'resolveAmbiguity' && failures-- > 0
      ? new PortariaError('store-failed', 'it failed')
      : undefined;
  const row = give('plain', 1, { event: ambiguous(1) });

  await dispatcher.start();
  await until(() => row.status === 'succeeded');

  expect(row.attempts).toBe(1);
  expect(handled).toEqual(['sample-1 ambiguous confirmed']);
});

test('a store that is busy delays the resolution', async () => {
  const { dispatcher, give, store, until } = open(confirms);
  let failures = 20;
  store.failure = (operation) =>
    operation === 'resolveAmbiguity' && failures-- > 0
      ? new PortariaError('store-full', 'no room')
      : undefined;
  const row = give('plain', 1, { event: ambiguous(1) });

  await dispatcher.start();
  await until(() => row.status === 'succeeded');

  expect([row.attempts, store.calls.release]).toEqual([1, 0]);
});
