import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admission,
  afterFailure,
  afterInconclusive,
  afterSuccess,
  closedBreaker,
  startProbe,
  type BreakerState,
} from './circuit-breaker.ts';

const policy = { failures: 20, subjects: 5, giveUps: 5 };

const failing = { source: 'default', reason: 'refused', gaveUp: false };
const givingUp = { source: 'default', reason: 'status 422', gaveUp: true };

function fail(state: BreakerState, subject: string, now = 0, probe = false): BreakerState {
  return afterFailure(state, { ...failing, subject, probe }, policy, now);
}

function giveUp(state: BreakerState, subject: string, now = 0, probe = false): BreakerState {
  return afterFailure(state, { ...givingUp, subject, probe }, policy, now);
}

/** A breaker after twenty failures in a row of five subjects. */
function tripped(now = 0): BreakerState {
  let state = closedBreaker;
  for (let count = 0; count < 20; count += 1) state = fail(state, `company:${String(count % 5)}`, now);
  return state;
}

describe('a closed breaker', () => {
  it('remembers no more subjects than its policy asks for', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 200 }), (subjects) => {
        let state = closedBreaker;
        for (const subject of subjects) {
          state = afterFailure(
            state,
            { source: 'default', subject: String(subject), reason: '', gaveUp: subject > 40, probe: false },
            { failures: Infinity, subjects: 5, giveUps: 20 },
            0,
          );
        }
        expect(state).toMatchObject({ phase: 'closed' });
        expect(state.phase === 'closed' && state.subjects.length <= 5).toBe(true);
        expect(state.phase === 'closed' && state.givenUp.length <= 10).toBe(true);
      }),
    );
  });
});

describe('an open breaker', () => {
  it('ignores deliveries that began before it opened', () => {
    const state = tripped(0);
    expect(fail(state, 'company:7', 10)).toBe(state);
    expect(afterSuccess(state, false)).toBe(state);
    const probing = startProbe(state, 1_000);
    expect(fail(probing, 'company:7', 1_001)).toBe(probing);
    expect(afterSuccess(probing, false)).toBe(probing);
  });

  it('stays open, for twice as long, when the handler gives up on the probe', () => {
    expect(giveUp(startProbe(tripped(0), 1_000), 'company:1', 1_100, true)).toMatchObject({
      phase: 'open',
      until: 3_100,
      openMs: 2_000,
      reason: 'status 422',
    });
  });

  it('admits another probe at once when the probe did not run', () => {
    const state = afterInconclusive(startProbe(tripped(0), 1_000), { probe: true, ran: false }, 1_200);
    expect(admission(state, 1_200)).toBe('probe');
    expect(fail(startProbe(state, 1_200), 'company:1', 1_300, true)).toMatchObject({ openMs: 2_000 });
  });
});

describe('any sequence of outcomes', () => {
  type Step = {
    readonly type: 'fail' | 'give-up' | 'succeed' | 'nothing' | 'wait';
    readonly subject: number;
  };
  const step: fc.Arbitrary<Step> = fc.record({
    type: fc.constantFrom('fail', 'fail', 'fail', 'give-up', 'give-up', 'succeed', 'nothing', 'wait'),
    subject: fc.nat(6),
  });
  const small = { failures: 4, subjects: 2, giveUps: 3 };

  /** Applies the steps as a dispatcher does: each runs as a probe when one is admitted. */
  function follow(
    steps: readonly Step[],
    check: (before: BreakerState, after: BreakerState, step: Step) => void,
  ) {
    let state = closedBreaker;
    let now = 0;
    for (const step of steps) {
      const before = state;
      let probe = false;
      if (admission(state, now) === 'probe') {
        state = startProbe(state, now);
        probe = true;
      }
      now += step.type === 'wait' ? 700 : 1;
      const failure = {
        source: 'default',
        subject: String(step.subject),
        reason: 'no',
        gaveUp: step.type === 'give-up',
        probe,
      };
      if (step.type === 'fail' || step.type === 'give-up') state = afterFailure(state, failure, small, now);
      if (step.type === 'succeed') state = afterSuccess(state, probe);
      if (step.type === 'nothing' || step.type === 'wait')
        state = afterInconclusive(state, { probe, ran: step.type === 'wait' }, now);
      check(before, state, step);
    }
  }

  it('opens exactly after enough failures or give-ups in a row and closes only after a success', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        let failed: number[] = [];
        let givenUp: number[] = [];
        follow(steps, (before, after, { type, subject }) => {
          if (type === 'succeed') [failed, givenUp] = [[], []];
          if (type === 'fail') failed.push(subject);
          if (type === 'give-up') givenUp.push(subject);
          const enough =
            (failed.length >= small.failures && new Set(failed).size >= small.subjects) ||
            new Set(givenUp).size >= small.giveUps;
          if (before.phase === 'closed') expect(after.phase === 'closed').toBe(!enough);
          if (before.phase !== 'closed' && after.phase === 'closed') expect(type).toBe('succeed');
        });
      }),
    );
  });

  it('is always open for between one second and one minute', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        follow(steps, (_before, after) => {
          if (after.phase !== 'closed') expect([1, 2, 4, 8, 16, 32, 60]).toContain(after.openMs / 1_000);
        });
      }),
    );
  });
});
