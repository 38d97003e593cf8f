/** Milliseconds. */
export const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Brasília's offset from UTC, all year. */
const BEHIND_UTC = 3 * HOUR;
/** The start of a fleet's day, in Brazil. */
const STARTS_AT = 6 * HOUR;

/**
 * The provider's time, advanced through its control API.
 *
 * @typedef {object} FleetClock
 * @property {number} dayStart milliseconds since 1970
 * @property {(instant: number) => Promise<void>} advanceTo everything due until then happens; never goes back
 * @property {(ms: number) => Promise<void>} advance
 * @property {() => Promise<{ readonly now: number, readonly speed: number }>} read
 * @property {(speed: number) => Promise<void>} setSpeed seconds of the fleet in a second
 * @property {() => Promise<void>} pauseScenario stops changes that happen by themselves
 *
 * @param {import('../environment/control.mjs').Control} control
 * @returns {Promise<FleetClock>}
 */
export async function fleetClock(control) {
  const read = async () => {
    const { now, speed } = await control.read('/clock');
    return { now: Date.parse(now), speed };
  };
  const now = async () => (await read()).now;
  /** @param {number} ms */
  const advance = (ms) => control.post('/clock/advance', { by: `${Math.round(ms)}ms` });
  return {
    dayStart: nextMorning(await now()),
    advance,
    read,
    setSpeed: (speed) => control.put('/clock/speed', { speed }),
    async advanceTo(instant) {
      const ms = instant - (await now());
      if (ms > 0) await advance(ms);
    },
    pauseScenario: () => control.post('/scenario/pause'),
  };
}

/** @param {number} instant */
function nextMorning(instant) {
  const midnight = Math.floor((instant - BEHIND_UTC) / DAY) * DAY + BEHIND_UTC;
  const morning = midnight + STARTS_AT;
  return morning > instant ? morning : morning + DAY;
}

/**
 * The time of day in Brazil.
 *
 * @param {number} instant milliseconds since 1970
 */
export function timeInBrazil(instant) {
  return new Date(instant - BEHIND_UTC).toISOString().slice(11, 16);
}
