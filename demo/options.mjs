import { parseArgs } from 'node:util';

/**
 * @typedef {object} DemoOptions
 * @property {number} seconds real time that the day takes
 * @property {number} companies at the start of the day
 * @property {number} violations traffic violations at the start of the day
 * @property {number} seed repeats a day, apart from the timing of processes
 * @property {boolean} kills whether receiver and provider are killed during the day
 * @property {boolean} keep whether to keep the data
 */

export const usage = `npm run demo -- [options]

Plays a day of a fleet in a minute: the provider with chaos, the receiver, and an application behind it, each
a process of its own. Both provider and receiver are killed once. At the end, every subject is compared.

  --seconds <n>     seconds that the day takes (60)
  --companies <n>   companies of the fleet (12)
  --violations <n>  traffic violations at the start of the day (1000)
  --seed <n>        seed of the day (7)
  --no-kills        kill no process
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
  return {
    seconds: whole('seconds', values.seconds, 5),
    companies: whole('companies', values.companies, 1),
    violations: whole('violations', values.violations, 0),
    seed: whole('seed', values.seed, 0),
    kills: !values['no-kills'],
    keep: values.keep,
  };
}

/** @param {readonly string[]} args */
function parsed(args) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '60' },
        companies: { type: 'string', default: '12' },
        violations: { type: 'string', default: '1000' },
        seed: { type: 'string', default: '7' },
        'no-kills': { type: 'boolean', default: false },
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
 */
function whole(name, text, min) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < min)
    throw new UsageError(`--${name} must be a whole number of at least ${min}, not ${text}`);
  return number;
}
