/** Tells flags that may be given twice from those that may not. */
import type { Command } from 'commander';

/** Collects the values of a flag that may be given more than once. */
export function repeatable(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

/**
 * Rejects a second value of every flag that is not {@link repeatable}, on the command and its
 * subcommands. Commander alone silently keeps the last value.
 */
export function rejectSecondValues(command: Command): void {
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
  for (const subcommand of command.commands) rejectSecondValues(subcommand);
}
