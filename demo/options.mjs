import { parseArgs } from 'node:util';

/**
 * @typedef {object} DemoOptions
 * @property {number} seconds real time that the day takes
 * @property {number} companies at the start of the day
 * @property {number} violations traffic violations at the start of the day
 * @property {number} seed repeats a day, apart from the timing of processes
 * @property {number} receivers one on SQLite, or several on PostgreSQL behind a load balancer
 * @property {boolean} kills whether processes are killed and stopped during the day
 * @property {boolean} losses whether webhooks are lost for good, and repaired at the end
 * @property {boolean} keep whether to keep the data
 * @property {boolean} console whether to print the addresses of the pages, and to go on until Ctrl-C
 * @property {IncidentName | null} incident an incident to find and mend, instead of the day
 *
 * @typedef {(typeof incidentNames)[number]} IncidentName
 */

/** Incidents for practice. */
const incidentNames = /** @type {const} */ (['handler', 'sender', 'lane']);

/** Seconds of the fleet's day in a second that a person watches. */
const WATCHED_SPEED = 120;
const SECONDS_OF_A_DAY = 86_400;
/** More than a machine of a developer carries beside everything else. */
const MAX_RECEIVERS = 9;

export const usage = `npm run demo -- [options]

Plays a day of a fleet in a minute: the provider with chaos, the receiver, and an application behind it, each
a process of its own. Both provider and receiver are killed once. One of twenty webhooks is never sent, and the
receiver is away for an hour of the day. At the end, every subject is compared, what was lost is repaired from the
provider's records (portaria reconcile --repair), and every subject is compared again.

  --seconds <n>     seconds that the day takes (60)
  --companies <n>   companies of the fleet (12)
  --violations <n>  traffic violations at the start of the day (1000)
  --seed <n>        seed of the day (7)
  --receivers <n>   receivers (1); from 2 on they share a PostgreSQL, which the demo starts, behind a load balancer:
                    one is killed, one is stopped for longer than its lease, and PostgreSQL crashes once
  --no-kills        kill and stop no process
  --no-losses       lose no webhook for good, and repair nothing
  --console         print the addresses of the receiver's console and of the provider's controls, and keep both
                    alive after the day until Ctrl-C; the day takes 12 minutes, and the provider's controls
                    stop it, speed it up and advance it
  --speed <n>       seconds of the day that pass in one second, instead of --seconds (with --console: 120)
  --incident <name> with --console, instead of the day: an incident to find and mend there.
                    handler: fails for one company. sender: changed a field. lane: stands still.
  --keep            keep the data, and print commands to try on it

Exits with 0 if both sides agree about every subject, otherwise with 1 and a list of differences.`;

/** An invalid command line. The message names the flag. */
export class UsageError extends Error {}

/**
 * @param {readonly string[]} args
 * @returns {DemoOptions | null} null for --help
 * @throws {UsageError}
 */
export function readOptions(args) {
  const { values } = parsed(args);
  if (values.help) return null;
  const incident = incidentNames.find((name) => name === values.incident) ?? null;
  if (values.incident !== undefined && incident === null)
    throw new UsageError(`--incident must be one of ${incidentNames.join(', ')}, not ${values.incident}`);
  if (incident !== null && !values.console)
    throw new UsageError('--incident needs --console: it is found and mended in the pages');
  const receivers = whole('receivers', values.receivers, 1, MAX_RECEIVERS);
  if (incident !== null && receivers > 1)
    throw new UsageError('--incident plays with one receiver: leave out --receivers');
  return {
    seconds: secondsOf(values, receivers > 1 && !values['no-kills']),
    companies: whole('companies', values.companies, 1),
    violations: whole('violations', values.violations, 0),
    seed: whole('seed', values.seed, 0),
    receivers,
    kills: !values['no-kills'],
    losses: !values['no-losses'],
    keep: values.keep,
    console: values.console,
    incident,
  };
}

/**
 * @param {{ readonly seconds?: string, readonly speed?: string, readonly console: boolean }} values
 * @param {boolean} isStopped whether a receiver is stopped for longer than its lease, and PostgreSQL crashes after it
 */
function secondsOf({ seconds, speed, console }, isStopped) {
  // The provider's clock runs at most an hour in a second.
  const least = console ? 24 : isStopped ? 20 : 5;
  if (seconds !== undefined && speed !== undefined)
    throw new UsageError('--speed and --seconds say the same: give one of them');
  if (seconds !== undefined) return whole('seconds', seconds, least);
  if (speed === undefined) return console ? SECONDS_OF_A_DAY / WATCHED_SPEED : 60;
  const wanted = SECONDS_OF_A_DAY / whole('speed', speed, 1);
  if (wanted < least)
    throw new UsageError(`--speed must be at most ${SECONDS_OF_A_DAY / least}, not ${speed}`);
  return wanted;
}

/** @param {readonly string[]} args */
function parsed(args) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string' },
        speed: { type: 'string' },
        console: { type: 'boolean', default: false },
        incident: { type: 'string' },
        companies: { type: 'string', default: '12' },
        violations: { type: 'string', default: '1000' },
        seed: { type: 'string', default: '7' },
        receivers: { type: 'string', default: '1' },
        'no-kills': { type: 'boolean', default: false },
        'no-losses': { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} min
 * @param {number} [max]
 */
function whole(name, text, min, max = Number.MAX_SAFE_INTEGER) {
  const number = Number(text);
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  if (!Number.isSafeInteger(number) || number < min || number > max)
    throw new UsageError(`--${name} must be a whole number ${range}, not ${text}`);
  return number;
}
