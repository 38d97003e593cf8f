import { setTimeout as pause } from 'node:timers/promises';
import { ControlError } from '../world/control.mjs';
import { planBackOffice } from './back-office.mjs';
import { createErrands } from './errands.mjs';
import { DAY, timeInBrazil } from './fleet-clock.mjs';
import { planOfficeDay } from './office.mjs';

/** So many times longer than it should may a day take, on a machine that has other things to do. */
const MAX_SLOWER = 10;
const MIN_LIMIT_MS = 180_000;
/** Shortest time between two looks at the clock, milliseconds. */
const TICK_MS = 100;
const MINUTE = 60_000;
/** Longest step of the fleet's time, milliseconds: what follows from a request has to have its turn. */
const MAX_STEP = 20 * MINUTE;
/** When somebody is killed, as shares of the day. */
const OUTAGES = /** @type {const} */ ([
  { at: 0.3, who: 'receiver' },
  { at: 0.42, who: 'provider' },
]);
/** Milliseconds after which it is in the middle of its work. */
const MOMENT_MS = 30;
/** Milliseconds that who was killed is away: what is to be told, or asked, has to wait. */
const AWAY_MS = 400;

/**
 * Plays the day: time goes on, the office does its errands, and in between
 * somebody is killed.
 *
 * @param {import('../world/start-world.mjs').World} world
 * @param {object} how
 * @param {import('./fleet-clock.mjs').FleetClock} how.clock
 * @param {import('../options.mjs').DemoOptions} how.options
 * @param {import('../show/display.mjs').Display} how.display
 */
export async function playDay(world, { clock, options, display }) {
  const { client, control } = world;
  const { signal } = world.place;
  const errands = createErrands();
  /** @type {Set<number>} */
  const wereInactive = new Set();
  const parts = { client, control, errands, options, dayStart: clock.dayStart, wereInactive };
  planOfficeDay(parts);
  planBackOffice(parts);
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
    const work = errands.doDue(played / MINUTE, display.doing);
    const outage = outages[0] !== undefined && played / DAY >= outages[0].at ? outages.shift() : undefined;
    if (outage === undefined) {
      await Promise.all([work, clock.goTo(instant), pause(TICK_MS, undefined, { signal })]);
    } else {
      // Right in the middle of it; time goes on when the service is back.
      const going = outage.who === 'provider' ? clock.goTo(instant).catch(unlessUnreachable) : undefined;
      await Promise.all([work, going, suffer(world, outage.who, display)]);
    }
  }
  return { counts: errands.counts, wereInactive };
}

/**
 * Kills it and starts it again. The fleet's time stands still meanwhile: the
 * service counts its pauses between tries by it.
 *
 * @param {import('../world/start-world.mjs').World} world
 * @param {'receiver' | 'provider'} who
 * @param {import('../show/display.mjs').Display} display
 */
async function suffer(world, who, display) {
  const { [who]: victim } = world;
  await pause(MOMENT_MS, undefined, { signal: world.place.signal });
  await victim.kill();
  display.note(who === 'receiver' ? 'kill -9 of the receiver' : 'kill -9 of the service');
  await pause(AWAY_MS, undefined, { signal: world.place.signal });
  await victim.start();
  display.note(who === 'receiver' ? 'the receiver is back' : 'the service is back');
}

/** @param {unknown} error */
function unlessUnreachable(error) {
  if (!(error instanceof ControlError) || error.code !== 'unreachable') throw error;
}
