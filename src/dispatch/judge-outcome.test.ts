import { describe, expect, it } from 'vitest';
import { Discard, GiveUp, RetryLater } from '../handle/define/outcome.ts';
import { judgeCrashes, judgeOutcome, type Judgement } from './judge-outcome.ts';
import type { RunEnd } from './time-limit.ts';

const policy = { attempts: 3, baseMs: 1_000, maxMs: 60_000 };
const half = (): number => 0.5;
const judge = (end: RunEnd, attempt = 1): Judgement => judgeOutcome(end, attempt, policy, half);
const returned = (value: unknown): RunEnd => ({ how: 'returned', value });
const threw = (error: unknown): RunEnd => ({ how: 'threw', error });

describe('what becomes of a delivery', () => {
  it.each([undefined, null, false, 0, '', {}, [], new Error('returned, not thrown'), () => 1, new Date(0)])(
    'whose handler returned %o: it succeeded',
    (value) => {
      expect(judge(returned(value))).toEqual({ verdict: 'succeeded', health: 'well' });
    },
  );

  it('whose handler threw: it is tried again after a jittered, growing wait', () => {
    expect(judge(threw('no'), 1)).toEqual({ verdict: 'retry', health: 'failed', reason: 'no', waitMs: 500 });
    expect(judge(threw('no'), 2)).toEqual({
      verdict: 'retry',
      health: 'failed',
      reason: 'no',
      waitMs: 1_000,
    });
  });

  it('whose last try failed: it is dead with that try’s reason', () => {
    expect(judge(threw('no'), 3)).toEqual({ verdict: 'dead', health: 'failed', reason: 'no' });
  });

  describe.each([
    ['returned', returned],
    ['thrown', threw],
  ])('when a wish is %s', (_how, end) => {
    it('Discard skips it with the handler’s reason', () => {
      expect(judge(end(Discard('not ours')))).toEqual({
        verdict: 'skipped',
        health: 'well',
        reason: 'not ours',
      });
    });

    it('GiveUp ends it at the first try, and says nothing against the handler', () => {
      expect(judge(end(GiveUp('gone')))).toEqual({ verdict: 'dead', health: 'well', reason: 'gone' });
    });

    it('RetryLater waits exactly as long as it asks', () => {
      expect(judge(end(RetryLater(1_234)))).toMatchObject({
        verdict: 'retry',
        health: 'unknown',
        waitMs: 1_234,
      });
      expect(judge(end(RetryLater(0, 'soon')))).toMatchObject({ waitMs: 0, reason: 'soon' });
    });

    it('RetryLater at the last try is a dead letter that says so', () => {
      expect(judge(end(RetryLater(50)), 3)).toEqual({
        verdict: 'dead',
        health: 'unknown',
        reason: 'asked to retry in 50 ms',
      });
    });
  });

  it('a wish for an absurd wait is cut to a year', () => {
    const judged = judge(returned(RetryLater(Number.MAX_VALUE)));
    expect(judged).toMatchObject({ waitMs: 365 * 24 * 3_600_000 });
  });

  it('a forged wish for no number of milliseconds waits no time', () => {
    const forged = Object.assign(new Error('odd'), {
      [Symbol.for('portaria.outcome')]: 'retry-later',
      ms: NaN,
    });
    expect(judge(returned(forged))).toMatchObject({ verdict: 'retry', waitMs: 0 });
  });

  it('a returned proxy that throws when looked at is no wish', () => {
    const angry = new Proxy(
      {},
      {
        has() {
          throw new Error('has');
        },
      },
    );
    expect(judge(returned(angry))).toMatchObject({ verdict: 'succeeded' });
    expect(judge(threw(angry))).toMatchObject({ verdict: 'retry' });
  });

  it('a timeout is a failure like any other', () => {
    expect(judge({ how: 'timed-out', afterMs: 200, abandoned: false })).toEqual({
      verdict: 'retry',
      health: 'failed',
      reason: 'timed out after 200 ms',
      waitMs: 500,
    });
  });

  it('a handler that did not heed its timeout has the whole wait to end', () => {
    expect(judge({ how: 'timed-out', afterMs: 200, abandoned: true })).toMatchObject({
      reason: 'timed out after 200 ms and did not heed its signal',
      waitMs: 1_000,
    });
  });

  it('a shutdown hands it back and blames nobody', () => {
    expect(judge({ how: 'stopped' }, 3)).toEqual({
      verdict: 'released',
      health: 'unknown',
      reason: 'stopping',
    });
  });
});

describe('a delivery whose tries crashes used up', () => {
  it('runs all the same, three times', () => {
    expect([1, 3, 4, 6].map((attempt) => judgeCrashes(attempt, policy))).toEqual(Array(4).fill(undefined));
  });

  it('is dead after that, so that it cannot take the process down for ever', () => {
    expect(judgeCrashes(7, policy)).toMatchObject({
      verdict: 'dead',
      reason: expect.stringMatching(/^not run again after 6 tries of 3: the process kept ending/) as string,
    });
  });
});
