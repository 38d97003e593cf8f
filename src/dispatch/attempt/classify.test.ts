import { describe, expect, it } from 'vitest';
import { RetryLater } from '../../handle/define/outcome.ts';
import { classify, classifyCrashes, type Outcome } from './classify.ts';
import type { RunEnd } from './time-limit.ts';

const policy = { attempts: 3, baseMs: 1_000, maxMs: 60_000 };
const half = (): number => 0.5;
const outcomeOf = (end: RunEnd, attempt = 1): Outcome => classify(end, attempt, policy, half);
const returned = (value: unknown): RunEnd => ({ how: 'returned', value });
const threw = (error: unknown): RunEnd => ({ how: 'threw', error });

describe('the outcome of an attempt', () => {
  it.each([undefined, null, false, 0, '', {}, [], new Error('returned, not thrown'), () => 1, new Date(0)])(
    'whose handler returned %o is success',
    (value) => {
      expect(outcomeOf(returned(value))).toEqual({ status: 'succeeded', health: 'healthy' });
    },
  );

  describe.each([
    ['returned', returned],
    ['thrown', threw],
  ])('with a requested outcome %s by the handler', (_how, end) => {
    it('is a retry for RetryLater after exactly the requested wait', () => {
      expect(outcomeOf(end(RetryLater(1_234)))).toMatchObject({
        status: 'retry',
        health: 'unknown',
        waitMs: 1_234,
      });
      expect(outcomeOf(end(RetryLater(0, 'soon')))).toMatchObject({ waitMs: 0, reason: 'soon' });
    });

    it('is dead for RetryLater at the last attempt, and says so', () => {
      expect(outcomeOf(end(RetryLater(50)), 3)).toEqual({
        status: 'dead',
        health: 'unknown',
        reason: 'asked to retry in 50 ms',
      });
    });
  });

  it('caps the requested wait at a year', () => {
    const outcome = outcomeOf(returned(RetryLater(Number.MAX_VALUE)));
    expect(outcome).toMatchObject({ waitMs: 365 * 24 * 3_600_000 });
  });

  it('treats a requested wait that is no number as zero', () => {
    const forged = Object.assign(new Error('odd'), {
      [Symbol.for('portaria.outcome')]: 'retry-later',
      ms: NaN,
    });
    expect(outcomeOf(returned(forged))).toMatchObject({ status: 'retry', waitMs: 0 });
  });

  it('ignores a returned object that throws on inspection', () => {
    const angry = new Proxy(
      {},
      {
        has() {
          throw new Error('has');
        },
      },
    );
    expect(outcomeOf(returned(angry))).toMatchObject({ status: 'succeeded' });
    expect(outcomeOf(threw(angry))).toMatchObject({ status: 'retry' });
  });

  it('waits without jitter after a timeout that the handler ignored', () => {
    expect(outcomeOf({ how: 'timed-out', afterMs: 200, abandoned: true })).toMatchObject({
      reason: 'timed out after 200 ms and ignored its abort signal',
      waitMs: 1_000,
    });
  });

  it('is released at shutdown, which does not count against the handler', () => {
    expect(outcomeOf({ how: 'stopped' }, 3)).toEqual({
      status: 'released',
      health: 'unknown',
      reason: 'stopping',
    });
  });
});

describe('a delivery that used up its attempts by crashes', () => {
  it('runs three more times', () => {
    expect([1, 3, 4, 6].map((attempt) => classifyCrashes(attempt, policy))).toEqual(Array(4).fill(undefined));
  });

  it('is dead after that, so that it does not end the process for ever', () => {
    expect(classifyCrashes(7, policy)).toMatchObject({
      status: 'dead',
      reason: expect.stringMatching(
        /^not run again after 6 attempts of 3: the process kept ending/,
      ) as string,
    });
  });
});
