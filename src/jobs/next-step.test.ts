import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge, nextStep } from './next-step.ts';

interface World {
  action: 'retry' | 'replay';
  planned: number;
  acted: number;
  leftAlone: number;
  rate: number | null;
  stopAt: number | null;
  stage: { number: number; size: number | null; acted: number; ended: number; failed: number };
}

const staged = (planned: number, stopAt: number | null = 0.2): World => ({
  action: 'retry',
  planned,
  acted: 0,
  leftAlone: 0,
  rate: null,
  stopAt,
  stage: { number: 1, size: 1, acted: 0, ended: 0, failed: 0 },
});

/** Runs a job in memory: `fails` decides about each item, `ends` how many results arrive in a turn. */
function run(job: World, fails: (item: number) => boolean, ends: () => number) {
  const open: { item: number; stage: number }[] = [];
  const stages: number[] = [];
  const most = { open: 0 };
  for (let turn = 0; turn < 100_000; turn++) {
    const step = nextStep(job, { open: open.length, exhausted: false });
    if (step.do === 'finish') return { how: step.do, stages, most };
    if (step.do === 'stop') return { how: step.do, stages, most, ending: step.ending };
    if (step.do === 'begin-stage') {
      expect(open).toEqual([]);
      stages.push(job.stage.acted);
      job.stage = { number: job.stage.number + 1, size: step.size, acted: 0, ended: 0, failed: 0 };
      continue;
    }
    if (step.do === 'act') {
      for (let index = 0; index < step.items; index++)
        open.push({ item: job.acted++, stage: job.stage.number });
      job.stage.acted += step.items;
      most.open = Math.max(most.open, open.length);
      expect(job.stage.acted).toBeLessThanOrEqual(job.stage.size ?? Infinity);
      continue;
    }
    for (const { item } of open.splice(0, Math.max(1, ends()))) {
      job.stage.ended += 1;
      if (fails(item)) job.stage.failed += 1;
    }
  }
  throw new Error('the job did not end');
}

describe('the stages of a job', () => {
  it('are 1, 10, 100 and all, each after the results of the one before', () => {
    const job = staged(5_000);
    expect(
      run(
        job,
        () => false,
        () => 7,
      ),
    ).toMatchObject({ how: 'finish', stages: [1, 10, 100] });
    expect(job.acted).toBe(5_000);
  });

  it('stop after the first item when it fails', () => {
    const job = staged(5_000);
    expect(
      run(
        job,
        () => true,
        () => 1,
      ),
    ).toMatchObject({ how: 'stop', ending: { code: 'failures', failed: 1, ended: 1 } });
    expect(job.acted).toBe(1);
  });

  it('stop at a share above the limit, and go on at the limit', () => {
    expect(
      run(
        staged(5_000, 0.3),
        (item) => item >= 1 && item <= 3,
        () => 1,
      ).how,
    ).toBe('finish');
    expect(
      run(
        staged(5_000, 0.29),
        (item) => item >= 1 && item <= 3,
        () => 1,
      ),
    ).toMatchObject({
      how: 'stop',
      ending: { code: 'failures', failed: 3, ended: 10 },
    });
  });

  it('stop within the last stage when a handler breaks', () => {
    const job = staged(1_000_000);
    expect(
      run(
        job,
        (item) => item >= 500,
        () => 50,
      ).how,
    ).toBe('stop');
    expect(job.acted).toBeLessThan(2_500);
  });

  it('take a tenth of a second with a rate', () => {
    const job = { ...staged(50), rate: 40, stage: { ...staged(1).stage, size: null } };
    expect(nextStep(job, { open: 0, exhausted: false })).toEqual({ do: 'act', items: 4 });
    expect(nextStep({ ...job, rate: 0.5 }, { open: 0, exhausted: false })).toEqual({ do: 'act', items: 1 });
  });

  it('take as many calls of a replay as its window has room for, also beyond those planned', () => {
    const job: World = { ...staged(50), action: 'replay', acted: 60 };
    job.stage.size = null;
    expect(nextStep(job, { open: 10, exhausted: false, window: 700 })).toEqual({ do: 'act', items: 690 });
    expect(nextStep(job, { open: 10, exhausted: true, window: 700 })).toEqual({ do: 'wait' });
    expect(nextStep(job, { open: 0, exhausted: true, window: 700 })).toEqual({ do: 'finish' });
  });

  it('never act on more than was planned, or leave more than a window without results', () => {
    fc.assert(
      fc.property(
        fc.nat(3_000),
        fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 400 }),
        fc.boolean(),
        (planned, stopAt, share, ends, isStaged) => {
          const job = staged(planned, stopAt);
          if (!isStaged) job.stage.size = null;
          const { how, most } = run(
            job,
            (item) => (item * 0.618) % 1 < share,
            () => ends,
          );
          expect(job.acted).toBeLessThanOrEqual(planned);
          if (how === 'finish') expect(job.acted).toBe(planned);
          expect(most.open).toBeLessThanOrEqual(1000);
        },
      ),
    );
  });
});

describe('failures', () => {
  it.each([
    [{ failed: 1, ended: 1, stopAt: 0.2, after: 1 }, [1, 1]],
    [{ failed: 5, ended: 19, stopAt: 0.2, after: 20 }, null],
    [{ failed: 5, ended: 20, stopAt: 0.2, after: 20 }, [5, 20]],
    [{ failed: 4, ended: 20, stopAt: 0.2, after: 20 }, null],
    [{ failed: 1, ended: 100, stopAt: 0, after: 20 }, [1, 100]],
    [{ failed: 20, ended: 20, stopAt: null, after: 20 }, null],
    [{ failed: 0, ended: 0, stopAt: 0, after: 1 }, null],
  ])('given %j, are judged as %j', (judged, expected) => {
    const ending = judge(judged);
    expect(ending?.code === 'failures' ? [ending.failed, ending.ended] : ending).toEqual(expected);
  });
});
