import { expect, it } from 'vitest';
import { testContext } from './test-context.ts';

it('is the context of a first attempt, with overrides', () => {
  const context = testContext({ attempt: 3, replay: true });
  expect(context).toMatchObject({
    attempt: 3,
    replay: true,
    client: null,
    idempotencyKey: 'sample-1/test',
  });
  expect(context.signal.aborted).toBe(false);
  expect(testContext().attempt).toBe(1);
});

it('records log entries with the fields of their parent loggers', () => {
  const context = testContext();
  context.log.info({ amount: 3 }, 'paid');
  context.log.child({ step: 'mail' }).warn({ attempts: 2 }, 'slow');
  expect(context.logged).toEqual([
    { level: 'info', fields: { amount: 3 }, message: 'paid' },
    { level: 'warn', fields: { step: 'mail', attempts: 2 }, message: 'slow' },
  ]);
});
