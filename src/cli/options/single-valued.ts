import type { Command } from 'commander';
import { repeatable } from './repeatable.ts';

/**
 * Makes a flag with one value, given twice, an error, on the command and all
 * below it: commander would silently take the last, and what was asked for
 * first would be left out.
 */
export function refuseSecondValues(command: Command): void {
  const given = new Set<string>();
  for (const option of command.options) {
    if (option.isBoolean() || option.parseArg === repeatable) continue;
    command.on(`option:${option.name()}`, () => {
      if (given.has(option.name()))
        command.error(`error: option '${option.flags}' takes one value and was given twice`, {
          code: 'portaria.secondValue',
        });
      given.add(option.name());
    });
  }
  for (const subcommand of command.commands) refuseSecondValues(subcommand);
}
