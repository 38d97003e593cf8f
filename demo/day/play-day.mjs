import { setTimeout as pause } from 'node:timers/promises';
import { ControlError } from '../environment/control.mjs';
import { planBackOffice } from './back-office.mjs';
import { createErrands } from './errands.mjs';
import { DAY, timeInBrazil } from './fleet-clock.mjs';
import { planOfficeDay } from './office.mjs';
import { outagesOf } from './outages.mjs';

/** A day may take this many times longer than planned, on a busy machine. */
const MAX_SLOWER = 10;
const MIN_LIMIT_MS = 180_000;
/** Minimum time between two steps, milliseconds. */
const TICK_MS = 100;
const MINUTE = 60_000;
/** Longest step of the fleet's time, milliseconds: consequences of requests need time in between. */
const MAX_STEP = 20 * MINUTE;

/**
 * Plays the day: advances the time, runs the office's errands, and lets the outages happen.
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
  const planned = outagesOf(environment, options);
  const outages = [...planned];
  const pace = options.console
    ? await watchedPace(clock, options.seconds)
    : steadyPace(clock, options.seconds);
  const limitMs = options.console ? Infinity : Math.max(MIN_LIMIT_MS, options.seconds * 1000 * MAX_SLOWER);
  const began = performance.now();
  let played = 0;
  /** Outages beside the day that are not over. @type {Set<Promise<void>>} */
  const beside = new Set();
  /** @param {Promise<void>} happening */
  function goOnBeside(happening) {
    beside.add(happening);
    // It fails only when the demo is interrupted, which the day notices by itself.
    happening.catch(() => undefined).finally(() => beside.delete(happening));
  }

  while (played < DAY || errands.left > 0 || outages.length > 0 || beside.size > 0) {
    signal.throwIfAborted();
    if (performance.now() - began > limitMs)
      throw new Error(
        `the day is not over after ${Math.round(limitMs / 1000)} s: ${errands.left} errands are left`,
      );
    played = await pace.next(played);
    const instant = clock.dayStart + played;
    display.at(timeInBrazil(instant), played / DAY);
    const work = errands.doDue(played / MINUTE, display.activity);
    const outage = isDue(outages[0], played / DAY, beside.size) ? outages.shift() : undefined;
    if (outage === undefined || outage.course === 'beside') {
      if (outage !== undefined) goOnBeside(outage.happen(display));
      await Promise.all([work, pace.reach(instant), pause(TICK_MS, undefined, { signal })]);
    } else {
      // The outage interrupts the work. The time continues when all is back.
      const going = outage.stopsProvider ? pace.reach(instant).catch(unlessUnreachable) : undefined;
      await pace.hold();
      await Promise.all([work, going, outage.happen(display)]);
      await pace.resume();
    }
  }
  await pace.end();
  return { counts: errands.counts, wereInactive, outages: planned };
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
 * The clock runs by itself: whoever watches can stop it, speed it up and advance it by the provider's controls.
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
 * @param {import('./outages.mjs').Outage | undefined} outage the next one
 * @param {number} share of the day that has passed
 * @param {number} others outages that are not over
 */
function isDue(outage, share, others) {
  return outage !== undefined && share >= outage.at && (outage.course !== 'after-others' || others === 0);
}

/** @param {unknown} error */
function unlessUnreachable(error) {
  if (!(error instanceof ControlError) || error.code !== 'unreachable') throw error;
}
