import { setTimeout as pause } from 'node:timers/promises';
import { ControlError } from '../environment/control.mjs';
import { planBackOffice } from './back-office.mjs';
import { createErrands } from './errands.mjs';
import { DAY, timeInBrazil } from './fleet-clock.mjs';
import { planOfficeDay } from './office.mjs';

/** A day may take this many times longer than planned, on a busy machine. */
const MAX_SLOWER = 10;
const MIN_LIMIT_MS = 180_000;
/** Minimum time between two steps, milliseconds. */
const TICK_MS = 100;
const MINUTE = 60_000;
/** Longest step of the fleet's time, milliseconds: consequences of requests need time in between. */
const MAX_STEP = 20 * MINUTE;
/** When a process is killed, as shares of the day. */
const OUTAGES = /** @type {const} */ ([
  { at: 0.3, who: 'receiver' },
  { at: 0.42, who: 'provider' },
]);
/** Milliseconds until a process is in the middle of its work. */
const MOMENT_MS = 30;
/** Milliseconds from a kill to the restart. */
const AWAY_MS = 400;

/**
 * Plays the day: advances the time, runs the office's errands, and kills both
 * processes once.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 * @param {object} how
 * @param {import('./fleet-clock.mjs').FleetClock} how.clock
 * @param {import('../options.mjs').DemoOptions} how.options
 * @param {import('../show/display.mjs').Display} how.display
 */
export async function playDay(environment, { clock, options, display }) {
  const { client, control } = environment;
  const { signal } = environment.workspace;
  const errands = createErrands();
  /** @type {Set<number>} */
  const wereInactive = new Set();
  const deps = { client, control, errands, options, dayStart: clock.dayStart, wereInactive };
  planOfficeDay(deps);
  planBackOffice(deps);
  const outages = options.kills ? [...OUTAGES] : [];
  const pace = options.console
    ? await watchedPace(clock, options.seconds)
    : steadyPace(clock, options.seconds);
  const limitMs = options.console ? Infinity : Math.max(MIN_LIMIT_MS, options.seconds * 1000 * MAX_SLOWER);
  const began = performance.now();
  let played = 0;

  while (played < DAY || errands.left > 0) {
    signal.throwIfAborted();
    if (performance.now() - began > limitMs)
      throw new Error(
        `the day is not over after ${Math.round(limitMs / 1000)} s: ${errands.left} errands are left`,
      );
    played = await pace.next(played);
    const instant = clock.dayStart + played;
    display.at(timeInBrazil(instant), played / DAY);
    const work = errands.doDue(played / MINUTE, display.activity);
    const outage = outages[0] !== undefined && played / DAY >= outages[0].at ? outages.shift() : undefined;
    if (outage === undefined) {
      await Promise.all([work, pace.reach(instant), pause(TICK_MS, undefined, { signal })]);
    } else {
      // The kill interrupts the work. The time continues when the provider is back.
      const going = outage.who === 'provider' ? pace.reach(instant).catch(unlessUnreachable) : undefined;
      await pace.hold();
      await Promise.all([work, going, interrupt(environment, outage.who, display)]);
      await pace.resume();
    }
  }
  await pace.end();
  return { counts: errands.counts, wereInactive };
}

/**
 * How the fleet's time passes. `next` returns how much of the day has passed, in milliseconds.
 *
 * @typedef {object} Pace
 * @property {(played: number) => Promise<number>} next
 * @property {(instant: number) => Promise<void>} reach
 * @property {() => Promise<void>} hold before a process is killed
 * @property {() => Promise<void>} resume after it was started again
 * @property {() => Promise<void>} end
 *
 * @typedef {import('./fleet-clock.mjs').FleetClock} FleetClock
 */

/**
 * The day takes this long; the demo advances the clock.
 *
 * @param {FleetClock} clock
 * @param {number} seconds
 * @returns {Pace}
 */
function steadyPace(clock, seconds) {
  const began = performance.now();
  return {
    next: async (played) =>
      Math.min(Math.min(1, (performance.now() - began) / (seconds * 1000)) * DAY, played + MAX_STEP),
    reach: (instant) => clock.advanceTo(instant),
    hold: async () => undefined,
    resume: async () => undefined,
    end: async () => undefined,
  };
}

/**
 * The clock runs by itself: whoever watches can stop it, speed it up and advance it in the provider's pages.
 *
 * @param {FleetClock} clock
 * @param {number} seconds
 * @returns {Promise<Pace>}
 */
async function watchedPace(clock, seconds) {
  let speed = DAY / 1000 / seconds;
  await clock.setSpeed(speed);
  return {
    async next() {
      const { now, speed: chosen } = await clock.read();
      speed = chosen;
      return Math.min(now - clock.dayStart, DAY);
    },
    reach: async () => undefined,
    hold: () => clock.setSpeed(0),
    resume: () => clock.setSpeed(speed),
    end: () => clock.setSpeed(1),
  };
}

/**
 * Kills a process and starts it again. The fleet's time stands still, because
 * the provider measures its retry pauses by it.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 * @param {'receiver' | 'provider'} who
 * @param {import('../show/display.mjs').Display} display
 */
async function interrupt(environment, who, display) {
  const { [who]: target } = environment;
  await pause(MOMENT_MS, undefined, { signal: environment.workspace.signal });
  await target.kill();
  display.note(who === 'receiver' ? 'kill -9 of the receiver' : 'kill -9 of the provider');
  await pause(AWAY_MS, undefined, { signal: environment.workspace.signal });
  await target.start();
  display.note(who === 'receiver' ? 'the receiver is back' : 'the provider is back');
}

/** @param {unknown} error */
function unlessUnreachable(error) {
  if (!(error instanceof ControlError) || error.code !== 'unreachable') throw error;
}
