/** Every command of the command line, as commander knows it. */
import type { Command } from 'commander';
import { createProgram } from '../../../src/cli/program.ts';
import { createSession } from '../../../src/cli/session.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { capturedTerminal } from './captured-terminal.ts';

/** A command that can be run. */
export interface KnownCommand {
  /** Its words without `portaria`, such as `deliveries list`. */
  readonly name: string;
  /** The long flags that it takes. */
  readonly flags: readonly string[];
  /** The names of its arguments. */
  readonly operands: readonly string[];
}

/** Every command of the command line that does something, hidden ones left out. */
export async function allCommands(): Promise<readonly KnownCommand[]> {
  const terminal = capturedTerminal({ env: {}, cwd: '/', clock: systemClock });
  const program = await createProgram(
    createSession(terminal, () => ({})),
    [],
  );
  return commandsIn(program, []);
}

function commandsIn(command: Command, words: readonly string[]): readonly KnownCommand[] {
  const shown = command.createHelp().visibleCommands(command);
  const below = shown
    .filter((each) => each.name() !== 'help')
    .flatMap((each) => commandsIn(each, [...words, each.name()]));
  // Commander itself answers a command that only groups others.
  const isGroup = words.length === 0 || !('_actionHandler' in command && command._actionHandler);
  if (isGroup) return below;
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const operands = command.registeredArguments.map((argument) => argument.name());
  return [{ name: words.join(' '), flags, operands }, ...below];
}
