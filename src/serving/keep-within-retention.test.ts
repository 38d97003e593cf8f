import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kernel/time/durations.ts';
import type { PruningRun, Retention } from '../store/retention.ts';
import { manualClock } from '../testing/manual-clock.ts';
import type { KeepFor } from '../operate/change/prune.ts';
import { keepWithinRetention } from './keep-within-retention.ts';

const forever: KeepFor = { events: null, quarantine: null, deliveries: null, audit: null };

interface Setup {
  error?: Error;
  leads?: boolean;
  /** Whether the store keeps events by days. */
  byDays?: boolean;
}

function setup(keep: Partial<KeepFor>, failing: Setup = {}) {
  const clock = manualClock();
  const records: PruningRun[] = [];
  const cutoffs: number[] = [];
  const jobCutoffs: number[] = [];
  const emitted: string[] = [];
  const empty = { rows: [], bytes: 0, held: 0, next: null };
  const unused = () => Promise.reject(new Error('not used'));
  const store: Retention = {
    prunableEvents: ({ before, after }) => {
      cutoffs.push(before);
      if (failing.error !== undefined) return Promise.reject(failing.error);
      return Promise.resolve({ ...empty, folded: [], held: 0, waiting: 0, firstKept: null, last: after });
    },
    prunableQuarantine: () => Promise.resolve(empty),
    prunableDeliveries: () => Promise.resolve(empty),
    pruneEvents: unused,
    pruneQuarantine: unused,
    pruneDeliveries: unused,
    firstBody: () => Promise.resolve(1),
    recordPruning: (run) => Promise.resolve(void records.push(run)),
    giveBackSpace: () => Promise.resolve(0),
    ...(failing.byDays === true && { pruneDay: () => Promise.resolve(null) }),
  };
  const stop = keepWithinRetention({
    clock,
    keep: { ...forever, ...keep },
    machines: [],
    telemetry: { emit: (name) => void emitted.push(name) },
    leads: () => failing.leads !== false,
    store: {
      ...store,
      machineState: unused,
      machineBase: unused,
      anomalies: unused,
      versionOrder: unused,
      storedEvents: unused,
      recordMonitoring: () => Promise.resolve(true),
      pruneJobs: (before) => {
        jobCutoffs.push(before);
        return Promise.resolve(0);
      },
      pruneAudit: (before) => {
        cutoffs.push(before);
        return Promise.resolve(0);
      },
    },
  });
  /** Lets a run take its steps. */
  async function advance(ms: number): Promise<void> {
    clock.advance(ms);
    for (let step = 0; step < 10; step += 1) {
      for (let tick = 0; tick < 5; tick += 1) await nextTick();
      clock.advance(50);
    }
    for (let tick = 0; tick < 5; tick += 1) await nextTick();
  }
  return { clock, records, cutoffs, jobCutoffs, emitted, stop, advance };
}

describe('retention beside a running receiver', () => {
  it('leaves the work to the process that leads, and begins once it leads itself', async () => {
    const failing: { leads?: boolean } = { leads: false };
    const { cutoffs, advance } = setup({ events: 180 * DAY_MS }, failing);
    await advance(2 * MINUTE_MS);
    expect(cutoffs).toEqual([]);

    failing.leads = true;
    await advance(7 * HOUR_MS);
    expect(cutoffs).not.toEqual([]);
  });

  it('runs a minute after the start, and says at once when', async () => {
    const { clock, records, cutoffs, advance } = setup({ events: 180 * DAY_MS });
    const start = clock.now();
    expect(records).toEqual([{ nextRunAt: start + MINUTE_MS }]);
    await advance(MINUTE_MS - 600);
    expect(cutoffs).toEqual([]);

    await advance(200);

    expect(cutoffs).toHaveLength(1);
    expect(cutoffs[0]).toBe(start + MINUTE_MS - 180 * DAY_MS);
  });

  it.each([
    ['whole days', 7 * DAY_MS, true],
    ['to the millisecond with a shorter period', 7 * DAY_MS - 1, false],
  ])('prunes %s of a store that keeps events by days', async (_what, events, isWhole) => {
    const { cutoffs, advance } = setup({ events }, { byDays: true });
    await advance(2 * MINUTE_MS);
    expect((cutoffs[0] ?? 1) % DAY_MS === 0).toBe(isWhole);
  });

  it.each([
    ['with deliveries', 90 * DAY_MS, 90 * DAY_MS],
    ['after an hour at the earliest: their plans could be started again', MINUTE_MS, HOUR_MS],
  ])('removes jobs %s', async (_when, deliveries, after) => {
    const { clock, jobCutoffs, advance } = setup({ deliveries });
    const start = clock.now();
    await advance(MINUTE_MS);
    expect(jobCutoffs).toHaveLength(1);
    expect(Math.abs((jobCutoffs[0] ?? 0) - (start + MINUTE_MS - after))).toBeLessThan(1_000);
  });

  it('keeps jobs without a period for deliveries', async () => {
    const { jobCutoffs, advance } = setup({ events: DAY_MS });
    await advance(MINUTE_MS);
    expect(jobCutoffs).toEqual([]);
  });

  it('removes entries of the audit only by their own period', async () => {
    const { clock, cutoffs, advance } = setup({ audit: 365 * DAY_MS });
    const start = clock.now();
    await advance(MINUTE_MS);
    expect(cutoffs).toHaveLength(1);
    expect((cutoffs[0] ?? 0) - start + 365 * DAY_MS).toBeLessThan(2 * MINUTE_MS);
  });

  it.each([
    ['180d', 180 * DAY_MS, 6 * HOUR_MS],
    ['12h', 12 * HOUR_MS, 30 * MINUTE_MS],
    ['5m', 5 * MINUTE_MS, MINUTE_MS],
  ])('with a period of %s the next run follows in time', async (_, events, interval) => {
    const { records, emitted, advance, clock } = setup({ events });
    await advance(MINUTE_MS);

    expect(emitted).toEqual(['retention.ran']);
    const last = records.at(-1);
    expect((last?.nextRunAt ?? 0) - (last?.lastRunAt ?? 0)).toBe(interval);
    await advance((last?.nextRunAt ?? 0) - clock.now());
    expect(emitted).toEqual(['retention.ran', 'retention.ran']);
  });

  it('reports a failure and runs again at its next time', async () => {
    const failing: { error?: Error } = { error: new Error('disk on fire') };
    const { emitted, advance } = setup({ events: DAY_MS }, failing);
    await advance(MINUTE_MS);
    expect(emitted).toEqual(['retention.failed']);
    delete failing.error;

    await advance(HOUR_MS);

    expect(emitted).toEqual(['retention.failed', 'retention.ran']);
  });

  it('never runs when everything is kept, and clears the time of an earlier process', async () => {
    const { records, cutoffs, advance } = setup({});
    await advance(DAY_MS);
    expect(cutoffs).toEqual([]);
    expect(records).toEqual([{ nextRunAt: null }]);
  });

  it('stops between two steps', async () => {
    const { stop, clock, emitted, cutoffs, advance } = setup({ events: DAY_MS });
    clock.advance(MINUTE_MS);
    await stop();
    await advance(DAY_MS);
    expect(cutoffs).toEqual([]);
    expect(emitted).toEqual([]);
  });
});
