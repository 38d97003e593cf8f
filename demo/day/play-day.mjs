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
  const began = performance.now();
  const limitMs = Math.max(MIN_LIMIT_MS, options.seconds * 1000 * MAX_SLOWER);
  let played = 0;

  while (played < DAY || errands.left > 0) {
    signal.throwIfAborted();
    if (performance.now() - began > limitMs)
      throw new Error(
        `the day is not over after ${Math.round(limitMs / 1000)} s: ${errands.left} errands are left`,
      );
    const due = Math.min(1, (performance.now() - began) / (options.seconds * 1000)) * DAY;
    played = Math.min(due, played + MAX_STEP);
    const instant = clock.dayStart + played;
    display.at(timeInBrazil(instant), played / DAY);
    const work = errands.doDue(played / MINUTE, display.activity);
    const outage = outages[0] !== undefined && played / DAY >= outages[0].at ? outages.shift() : undefined;
    if (outage === undefined) {
      await Promise.all([work, clock.advanceTo(instant), pause(TICK_MS, undefined, { signal })]);
    } else {
      // The kill interrupts the work. The time continues when the provider is back.
      const going = outage.who === 'provider' ? clock.advanceTo(instant).catch(unlessUnreachable) : undefined;
      await Promise.all([work, going, interrupt(environment, outage.who, display)]);
    }
  }
  return { counts: errands.counts, wereInactive };
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
