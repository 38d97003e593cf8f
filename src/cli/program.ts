import { Command } from 'commander';
import { packageVersion } from '../kernel/files/package-files.ts';
import { commandTable } from './command-table.ts';
import { helpEpilogue } from './help-epilogue.ts';
import { settingHint } from './options/setting-hint.ts';
import { refuseSecondValues } from './options/single-valued.ts';
import type { Session } from './session.ts';
import { write } from './terminal/text-output.ts';

/** Flags that every command takes. */
export interface GlobalFlags {
  readonly database?: string;
  readonly verbose?: true;
}

/**
 * The command line, `args` without node and script: with the one command that
 * they name, or, when they name none that there is (help, a mistake), with all.
 */
export async function createProgram(session: Session, args: readonly string[]): Promise<Command> {
  // Settings that commands inherit come first: commander copies them when a command is made.
  const { out, err } = session.terminal;
  const program = new Command('portaria')
    .description('The front desk for webhooks of the Fleet and Driver Compliance Service.')
    .version(packageVersion())
    .option('--database <file>', 'the SQLite file, instead of PORTARIA_DATABASE')
    .option('--verbose', 'show where in the program an error comes from')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        write(out, text);
      },
      writeErr: (text) => {
        write(err, text);
      },
      outputError: (text, writeText) => {
        writeText(`${text}${settingHint(text)}`);
      },
      getOutHelpWidth: () => helpWidth(out.columns()),
      getErrHelpWidth: () => helpWidth(err.columns()),
      getOutHasColors: () => out.isTerminal,
      getErrHasColors: () => err.isTerminal,
    })
    .addHelpText('after', helpEpilogue);

  const [named = ''] = program.parseOptions([...args]).operands;
  const isKnown = commandTable.some(({ commands }) => Object.hasOwn(commands, named));
  for (const { heading, commands } of commandTable) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(commands))
      if (!isKnown || name === named) (await load())(program, session);
  }
  program.helpCommand('help [command]', 'what a command does, and its flags');
  refuseSecondValues(program);
  return program;
}

/** Text wider than this is hard to read, and pipes have no width of their own. */
function helpWidth(columns: number): number {
  return Math.min(columns, 110);
}
