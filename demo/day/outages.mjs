import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds until a process is in the middle of its work. */
const MOMENT_MS = 30;
/** Milliseconds from a kill to the restart. */
const AWAY_MS = 400;
/** For how long the receivers are away, in milliseconds of the fleet's time: longer than the provider tries. */
const LONG_AWAY = 3_600_000;
/** Longer than a lease, which ends eight seconds after its last renewal. */
const FREEZE_MS = 12_000;

/** @typedef {import('../environment/start-environment.mjs').Environment} Environment */

/**
 * What happens to a process during the day.
 *
 * @typedef {object} Outage
 * @property {string} what a few words for the summary
 * @property {string} to whom it happens
 * @property {number} at share of the day
 * @property {'stops-time' | 'beside' | 'after-others'} course `beside`: the day goes on meanwhile. Otherwise the
 *   fleet's time stands still, because the provider measures its retry pauses by it. `after-others`: not before those
 *   beside the day are over.
 * @property {boolean} stopsProvider whether the provider's control API fails meanwhile
 * @property {(display: import('../show/display.mjs').Display) => Promise<void>} happen resolves when all is back
 */

/**
 * The outages of a day, in order. With one receiver, it is killed, and so is the provider. With several, one of them
 * is stopped for longer than its lease, too, and PostgreSQL crashes.
 *
 * @param {Environment} environment
 * @param {Pick<import('../options.mjs').DemoOptions, 'kills' | 'losses'>} options
 * @returns {readonly Outage[]}
 */
export function outagesOf(environment, { kills, losses }) {
  const planned = [...(kills ? killsOf(environment) : []), ...(losses ? [longOutage(environment)] : [])];
  return planned.sort((one, other) => one.at - other.at);
}

/**
 * All receivers are away for so long that the provider gives webhooks up.
 *
 * @param {Environment} environment
 * @returns {Outage}
 */
function longOutage({ receivers, control, workspace: { signal } }) {
  const now = async () => Date.parse((await control.read('/clock')).now);
  return {
    what: 'away for an hour',
    to: receivers.length === 1 ? 'the receiver' : 'all receivers',
    at: 0.5,
    course: 'beside',
    stopsProvider: false,
    async happen(display) {
      const until = (await now()) + LONG_AWAY;
      await Promise.all(receivers.map((each) => each.kill()));
      display.note("no receiver responds for an hour of the fleet's time");
      while ((await now()) < until) await pause(AWAY_MS, undefined, { signal });
      await Promise.all(receivers.map((each) => each.start()));
      display.note('the receiver is back');
    },
  };
}

/**
 * @param {Environment} environment
 * @returns {readonly Outage[]}
 */
function killsOf({ receiver, receivers, provider, postgres, workspace: { signal } }) {
  /** @param {number} ms */
  const wait = (ms) => pause(ms, undefined, { signal });
  /**
   * @param {number} at
   * @param {string} name
   * @param {import('../environment/program.mjs').Daemon} target
   * @returns {Outage}
   */
  const kill = (at, name, target) => ({
    what: 'kill -9',
    to: name,
    at,
    course: 'stops-time',
    stopsProvider: target === provider,
    async happen(display) {
      await wait(MOMENT_MS);
      await target.kill();
      display.note(`kill -9 of ${name}`);
      await wait(AWAY_MS);
      await target.start();
      display.note(`${name} is back`);
    },
  });
  if (postgres === null) return [kill(0.3, 'the receiver', receiver), kill(0.42, 'the provider', provider)];
  const frozen = receivers.at(-1) ?? receiver;
  return [
    {
      what: `stop for ${FREEZE_MS / 1000} s`,
      to: frozen.name,
      at: 0.1,
      course: 'beside',
      stopsProvider: false,
      async happen(display) {
        frozen.freeze();
        display.note(
          `${frozen.name} is stopped (SIGSTOP) for ${FREEZE_MS / 1000} s of real time, longer than its lease`,
        );
        await wait(FREEZE_MS);
        frozen.thaw();
        display.note(`${frozen.name} continues (SIGCONT)`);
      },
    },
    // The one that has started first does the periodic work.
    kill(0.35, receiver.name, receiver),
    kill(0.42, 'the provider', provider),
    {
      what: 'crash',
      to: 'PostgreSQL',
      at: 0.6,
      course: 'after-others',
      stopsProvider: false,
      async happen(display) {
        await wait(MOMENT_MS);
        await postgres.crash();
        display.note('PostgreSQL crashes (immediate shutdown)');
        await wait(AWAY_MS);
        await postgres.restart();
        display.note('PostgreSQL is back, after recovery');
      },
    },
  ];
}
