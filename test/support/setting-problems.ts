import { loadConfig } from '../../src/config/load-config.ts';
import { PortariaError } from '../../src/kernel/errors.ts';

/** The settings that take the address of a database of the receiver. */
export const DATABASE_SETTINGS = ['PORTARIA_DATABASE', 'PORTARIA_DATABASE_DIRECT'] as const;

/**
 * Returns what is wrong with settings: the message by the setting's name.
 *
 * @throws Error if nothing is
 */
export function problemsOf(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    loadConfig(env, '/srv');
  } catch (error) {
    if (!PortariaError.is(error, 'misconfigured')) throw error;
    return Object.fromEntries(error.problems.map(({ where, message }) => [where, message]));
  }
  throw new Error('the configuration is valid');
}
