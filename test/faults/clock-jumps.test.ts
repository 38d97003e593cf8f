/**
 * A target that is down for 10 hours with 100,000 deliveries pending, and a
 * wall clock that jumps by hours either way, before and after it is back:
 * nobody waits for a clock to come round again, nothing is lost, and no
 * delivery dies of an outage.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { defineHandler, type Handler } from '../../src/handle/define/handler.ts';
import { mebibytes, printFigures } from './kit/figures.ts';
import { openPendingDesk } from './kit/pending-desk.ts';
import { draws, seedOfRun } from './kit/seed.ts';

const HOUR = 3_600_000;
const SUBJECTS = 50_000;
const EACH = 2;
const PENDING = SUBJECTS * EACH;
/** A first try in so many fails by itself and is waited for, up to a minute. */
const FAILING_ONE_IN = 20;

/** A target, and what reached it. */
interface Target {
  down: boolean;
  calls: number;
  /** Codes of the charges, in their order. */
  readonly taken: string[];
}

function sending(target: Target): Handler {
  return defineHandler({
    name: 'sending',
    on: 'charge.updated',
    retry: { baseMs: 60_000, maxMs: 60_000 },
    handle: ({ data }, { attempt }) => {
      target.calls += 1;
      if (target.down) throw new Error('the target is down');
      if (attempt === 1 && target.calls % FAILING_ONE_IN === 0) throw new Error('the line is bad');
      target.taken.push(String(data.code));
    },
  });
}

/** How many came out of the order of their subject. */
function disordered(codes: readonly string[]): number {
  const last = new Map<string, number>();
  return codes.filter((code) => {
    const [subject = '', turn] = code.split('-');
    const before = last.get(subject) ?? 0;
    last.set(subject, Number(turn));
    return Number(turn) !== before + 1;
  }).length;
}

test('10 hours down and back, the clock jumping meanwhile', { timeout: 240_000 }, async () => {
  const seed = seedOfRun();
  const { between } = draws(seed);
  const target: Target = { down: true, calls: 0, taken: [] };
  const desk = await openPendingDesk({ handler: sending(target), subjects: SUBJECTS, each: EACH, seed });
  const { clock } = desk;
  const calls = (): number => target.calls;
  const heap = process.memoryUsage().heapUsed;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let jumps = 0;
  const jump = (): void => {
    jumps += 1;
    clock.jump((jumps % 2 === 0 ? 10 : -10) * HOUR + between(-HOUR, HOUR));
  };

  for (let hours = 1; hours <= 10; hours += 1) {
    await desk.runUntil(() => clock.monotonic() >= hours * HOUR, calls);
    jump();
  }
  const callsWhileDown = target.calls;
  const heapGrown = process.memoryUsage().heapUsed - heap;

  target.down = false;
  const back = clock.monotonic();
  while (target.taken.length < PENDING) {
    const enough = Math.min(PENDING, target.taken.length + between(10_000, 25_000));
    await desk.runUntil(() => target.taken.length >= enough, calls);
    if (jumps % 3 === 0) await desk.restart(jump);
    else jump();
  }
  await desk.dispatcher.idle();
  delay.disable();
  const secondsToCatchUp = Math.round((clock.monotonic() - back) / 1_000);
  const { deliveries } = await desk.store.statistics();

  printFigures('10 hours down, clock jumps', {
    seed,
    pending: PENDING,
    jumps,
    'calls-while-down': callsWhileDown,
    'heap-grown-while-down': mebibytes(heapGrown),
    handled: target.taken.length,
    'handled-again': target.taken.length - new Set(target.taken).size,
    'seconds-to-catch-up-by-the-clock': secondsToCatchUp,
    'longest-block-ms': Math.round(delay.max / 1e6),
    dead: deliveries.dead,
    lost: PENDING - deliveries.succeeded,
  });
  expect(callsWhileDown).toBeLessThan(1_000);
  expect(heapGrown).toBeLessThan(128 * 1024 * 1024);
  expect(deliveries).toMatchObject({ succeeded: PENDING, pending: 0, running: 0, dead: 0 });
  expect(new Set(target.taken).size).toBe(PENDING);
  expect(disordered(target.taken)).toBe(0);
  // A charge waits for a minute at most after its one failure, and its subject has two.
  expect(secondsToCatchUp).toBeLessThan(600);
});
