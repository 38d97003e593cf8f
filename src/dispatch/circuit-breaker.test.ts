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

const policy = { failures: 20, subjects: 5 };

function fail(state: BreakerState, subject: string, now = 0, probe = false): BreakerState {
  return afterFailure(state, { subject, reason: 'refused', probe }, policy, now);
}

/** A breaker after twenty failures in a row of five subjects. */
function tripped(now = 0): BreakerState {
  let state = closedBreaker;
  for (let count = 0; count < 20; count += 1) state = fail(state, `company:${String(count % 5)}`, now);
  return state;
}

describe('a closed breaker', () => {
  it('opens for a second after twenty failures in a row of five subjects', () => {
    expect(tripped(500)).toEqual({ phase: 'open', until: 1_500, pauseMs: 1_000, reason: 'refused' });
  });

  it('stays closed after one failure less', () => {
    let state = closedBreaker;
    for (let count = 0; count < 19; count += 1) state = fail(state, `company:${String(count % 5)}`);
    expect(state.phase).toBe('closed');
  });

  it('never opens for failures of one subject', () => {
    let state = closedBreaker;
    for (let count = 0; count < 1_000; count += 1) state = fail(state, 'company:1');
    expect(admission(state, 0)).toBe('any');
  });

  it('opens at the fifth subject when there are enough failures already', () => {
    let state = closedBreaker;
    for (let count = 0; count < 100; count += 1) state = fail(state, `company:${String(count % 4)}`);
    expect(state.phase).toBe('closed');
    expect(fail(state, 'company:9').phase).toBe('open');
  });

  it('counts from zero after a success', () => {
    let state = closedBreaker;
    for (let count = 0; count < 19; count += 1) state = fail(state, `company:${String(count)}`);
    state = afterSuccess(state, false);
    expect(fail(state, 'company:1')).toMatchObject({ phase: 'closed', failures: 1 });
  });

  it('remembers no more subjects than its policy asks for', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 200 }), (subjects) => {
        let state = closedBreaker;
        for (const subject of subjects) {
          state = afterFailure(
            state,
            { subject: String(subject), reason: '', probe: false },
            { failures: Infinity, subjects: 5 },
            0,
          );
        }
        expect(state.phase === 'closed' && state.subjects.length <= 5).toBe(true);
      }),
    );
  });
});

describe('an open breaker', () => {
  it('admits nothing until its pause is over, then one probe', () => {
    const state = tripped(0);
    expect(admission(state, 999)).toBe('none');
    expect(startProbe(state, 999)).toBe(state);
    expect(admission(state, 1_000)).toBe('probe');
    expect(admission(startProbe(state, 1_000), 1_000_000)).toBe('none');
  });

  it('ignores deliveries that began before it opened', () => {
    const state = tripped(0);
    expect(fail(state, 'company:7', 10)).toBe(state);
    expect(afterSuccess(state, false)).toBe(state);
    const probing = startProbe(state, 1_000);
    expect(fail(probing, 'company:7', 1_001)).toBe(probing);
    expect(afterSuccess(probing, false)).toBe(probing);
  });

  it('closes when the probe succeeds', () => {
    expect(afterSuccess(startProbe(tripped(0), 1_000), true)).toBe(closedBreaker);
  });

  it('pauses twice as long after each probe that fails, a minute at most', () => {
    let state = tripped(0);
    const pauses: number[] = [];
    for (let probes = 0; probes < 9; probes += 1) {
      if (state.phase !== 'open') throw new Error('expected an open breaker');
      pauses.push(state.pauseMs);
      state = fail(startProbe(state, state.until), 'company:1', state.until, true);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('repeats its pause when the probe asked to wait', () => {
    const state = afterInconclusive(startProbe(tripped(0), 1_000), { probe: true, ran: true }, 1_200);
    expect(admission(state, 2_199)).toBe('none');
    expect(admission(state, 2_200)).toBe('probe');
  });

  it('admits another probe at once when the probe did not run', () => {
    const state = afterInconclusive(startProbe(tripped(0), 1_000), { probe: true, ran: false }, 1_200);
    expect(admission(state, 1_200)).toBe('probe');
    expect(fail(startProbe(state, 1_200), 'company:1', 1_300, true)).toMatchObject({ pauseMs: 2_000 });
  });
});

describe('any sequence of outcomes', () => {
  type Step = { readonly type: 'fail' | 'succeed' | 'nothing' | 'wait'; readonly subject: number };
  const step: fc.Arbitrary<Step> = fc.record({
    type: fc.constantFrom('fail', 'fail', 'fail', 'succeed', 'nothing', 'wait'),
    subject: fc.nat(6),
  });
  const small = { failures: 4, subjects: 2 };

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
      const failure = { subject: String(step.subject), reason: 'no', probe };
      if (step.type === 'fail') state = afterFailure(state, failure, small, now);
      if (step.type === 'succeed') state = afterSuccess(state, probe);
      if (step.type === 'nothing' || step.type === 'wait')
        state = afterInconclusive(state, { probe, ran: step.type === 'wait' }, now);
      check(before, state, step);
    }
  }

  it('opens only after enough failures in a row and closes only after a success', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        let failed: number[] = [];
        follow(steps, (before, after, { type, subject }) => {
          if (type === 'succeed') failed = [];
          if (type === 'fail') failed.push(subject);
          if (before.phase === 'closed' && after.phase !== 'closed') {
            expect(failed.length).toBeGreaterThanOrEqual(small.failures);
            expect(new Set(failed).size).toBeGreaterThanOrEqual(small.subjects);
          }
          if (before.phase !== 'closed' && after.phase === 'closed') expect(type).toBe('succeed');
        });
      }),
    );
  });

  it('keeps every pause between one second and one minute', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        follow(steps, (_before, after) => {
          if (after.phase !== 'closed') expect([1, 2, 4, 8, 16, 32, 60]).toContain(after.pauseMs / 1_000);
        });
      }),
    );
  });
});
