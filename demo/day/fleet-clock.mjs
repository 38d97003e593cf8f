/** Milliseconds. */
export const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Brasília is so far behind UTC all year. */
const BEHIND_UTC = 3 * HOUR;
/** When a fleet's day begins, in Brazil. */
const BEGINS_AT = 6 * HOUR;

/**
 * The service's time, put forward by its control API.
 *
 * @typedef {object} FleetClock
 * @property {number} dayStart milliseconds since 1970
 * @property {(instant: number) => Promise<void>} goTo what is due on the way happens; backwards nothing does
 * @property {(ms: number) => Promise<void>} advance
 * @property {() => Promise<void>} stopLife nothing happens by itself any more
 *
 * @param {import('../world/control.mjs').Control} control
 * @returns {Promise<FleetClock>}
 */
export async function fleetClock(control) {
  const now = async () => Date.parse((await control.read('/clock')).now);
  /** @param {number} ms */
  const advance = (ms) => control.have('/clock/advance', { by: `${Math.round(ms)}ms` });
  return {
    dayStart: nextMorning(await now()),
    advance,
    async goTo(instant) {
      const ms = instant - (await now());
      if (ms > 0) await advance(ms);
    },
    stopLife: () => control.have('/scenario/pause'),
  };
}

/** @param {number} instant */
function nextMorning(instant) {
  const midnight = Math.floor((instant - BEHIND_UTC) / DAY) * DAY + BEHIND_UTC;
  const morning = midnight + BEGINS_AT;
  return morning > instant ? morning : morning + DAY;
}

/**
 * What a clock in Brazil shows.
 *
 * @param {number} instant milliseconds since 1970
 */
export function timeInBrazil(instant) {
  return new Date(instant - BEHIND_UTC).toISOString().slice(11, 16);
}
