import { parseArgs } from 'node:util';

/**
 * @typedef {object} DemoOptions
 * @property {number} seconds that the day takes, of real time
 * @property {number} companies of the fleet in the morning
 * @property {number} violations that it has by then
 * @property {number} seed the same day again, as far as processes allow
 * @property {boolean} kills whether receiver and service are killed in between
 * @property {boolean} keep whether the data stays
 */

export const usage = `npm run demo -- [options]

A day of a fleet in a minute: the provider's service, the receiver and an application behind it run as
processes of their own, webhooks come in chaos, both are killed once; then every subject is compared.

  --seconds <n>     seconds that the day takes (60)
  --companies <n>   companies of the fleet (12)
  --violations <n>  traffic violations that it has in the morning (1000)
  --seed <n>        another day (7)
  --no-kills        nobody is killed
  --keep            leave the data, and say which commands to try on it

Ends with 0 when the receiver knows of every subject what the service does; otherwise with 1, and lists them.`;

/** A command line that nobody can follow. */
export class UsageError extends Error {}

/**
 * @param {readonly string[]} args
 * @returns {DemoOptions | null} null when help is asked for
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
 * @param {number} least
 */
function whole(name, text, least) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < least)
    throw new UsageError(`--${name} takes a whole number from ${least} on, not ${text}`);
  return number;
}
