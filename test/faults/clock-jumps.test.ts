/**
 * Given a target that is down for 10 hours with thousands of pending deliveries, and a wall clock that jumps
 * by hours in both directions: no delivery waits for the clock to catch up, none is lost and none dies.
 */
import { expect, test } from 'vitest';
import { defineHandler, type Handler } from '../../src/handle/define/handler.ts';
import { printFigures } from './kit/figures.ts';
import { openPendingDispatcher } from './kit/pending-dispatcher.ts';
import { draws, seedOfRun } from './kit/seed.ts';

const HOUR = 3_600_000;
const SUBJECTS = 2_500;
const EACH = 2;
const PENDING = SUBJECTS * EACH;
/** One first attempt in this many fails and is retried after up to a minute. */
const FAILING_ONE_IN = 20;

/** A target, and the deliveries that reached it. */
interface Target {
  down: boolean;
  calls: number;
  /** The codes of the accepted charges, in order. */
  readonly accepted: string[];
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
      target.accepted.push(String(data.code));
    },
  });
}

/** The number of deliveries that were not in the order of their subject. */
function disordered(codes: readonly string[]): number {
  const last = new Map<string, number>();
  return codes.filter((code) => {
    const [subject = '', number] = code.split('-');
    const before = last.get(subject) ?? 0;
    last.set(subject, Number(number));
    return Number(number) !== before + 1;
  }).length;
}

test('recovers from a 10-hour outage while the clock jumps', async () => {
  const seed = seedOfRun();
  const { between } = draws(seed);
  const target: Target = { down: true, calls: 0, accepted: [] };
  const fixture = await openPendingDispatcher({
    handler: sending(target),
    subjects: SUBJECTS,
    each: EACH,
    seed,
  });
  const { clock } = fixture;
  const calls = (): number => target.calls;
  let jumps = 0;
  const jump = (): void => {
    jumps += 1;
    clock.jump((jumps % 2 === 0 ? 10 : -10) * HOUR + between(-HOUR, HOUR));
  };

  for (let hours = 1; hours <= 10; hours += 1) {
    await fixture.runUntil(() => clock.monotonic() >= hours * HOUR, calls);
    jump();
  }
  const callsWhileDown = target.calls;

  target.down = false;
  const back = clock.monotonic();
  while (target.accepted.length < PENDING) {
    const enough = Math.min(PENDING, target.accepted.length + between(PENDING / 10, PENDING / 4));
    await fixture.runUntil(() => target.accepted.length >= enough, calls);
    if (jumps % 3 === 0) await fixture.restart(jump);
    else jump();
  }
  await fixture.dispatcher.idle();
  const secondsToCatchUp = Math.round((clock.monotonic() - back) / 1_000);
  const { deliveries } = await fixture.store.statistics();

  printFigures('10 hours down, clock jumps', {
    seed,
    pending: PENDING,
    jumps,
    'calls-while-down': callsWhileDown,
    handled: target.accepted.length,
    'handled-twice': target.accepted.length - new Set(target.accepted).size,
    'seconds-to-catch-up': secondsToCatchUp,
    dead: deliveries.dead,
    lost: PENDING - deliveries.succeeded,
  });
  expect(callsWhileDown).toBeLessThan(1_000);
  expect(deliveries).toMatchObject({ succeeded: PENDING, pending: 0, running: 0, dead: 0 });
  expect(new Set(target.accepted).size).toBe(PENDING);
  expect(disordered(target.accepted)).toBe(0);
  // A charge waits at most a minute after its failure, and each subject has two charges.
  expect(secondsToCatchUp).toBeLessThan(600);
});
