/** Builds the command line: global flags and all commands. */
import { Command, Help, type Option } from 'commander';
import { settings } from '../config/settings.ts';
import { packageVersion } from '../kernel/files/package-files.ts';
import { suggest } from '../kernel/text/suggest.ts';
import { commandTable } from './command-table.ts';
import { exitCodeMeanings } from './exit-code.ts';
import { rejectSecondValues } from './options/repeatable.ts';
import type { Session } from './session.ts';
import { write } from './terminal/text-output.ts';

/** Flags that every command takes. */
export interface GlobalFlags {
  readonly database?: string;
  readonly verbose?: true;
}

/** Longer lines are hard to read, and a pipe has no width. */
const MAX_HELP_WIDTH = 110;

/**
 * Builds the parser of a command line. It holds only the command that `args` names, or all commands
 * if `args` names none (help, a typing error).
 *
 * @param args the arguments without node and script.
 */
export async function createProgram(session: Session, args: readonly string[]): Promise<Command> {
  // Set these first: commander copies inherited settings when a subcommand is created.
  const { out, err } = session.terminal;
  const program = new Command('portaria')
    .description(
      'Receives webhooks of the Fleet and Driver Compliance Service, stores them and runs handlers.',
    )
    .version(packageVersion())
    .option(
      '--database <database>',
      'the SQLite file or the address in PostgreSQL, instead of PORTARIA_DATABASE',
    )
    .option('--verbose', 'print the stack trace of an error')
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ optionDescription })
    .configureOutput({
      writeOut: (text) => {
        write(out, text);
      },
      writeErr: (text) => {
        write(err, text);
      },
      outputError: (text, writeText) => {
        writeText(`${text}${settingHint(text)}${subcommandHint(program, text)}`);
      },
      getOutHelpWidth: () => Math.min(out.columns(), MAX_HELP_WIDTH),
      getErrHelpWidth: () => Math.min(err.columns(), MAX_HELP_WIDTH),
      getOutHasColors: () => out.colors,
      getErrHasColors: () => err.colors,
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
  rejectSecondValues(program);
  return program;
}

/** The description of an option. "(default: false)" is left out: every flag without a value is off by default. */
function optionDescription(option: Option): string {
  return new Help().optionDescription(option).replace(' (default: false)', '');
}

/** A hint for an unknown flag that is the name of a setting, such as `--port`. Empty for every other error. */
function settingHint(message: string): string {
  const flag = /unknown option '--([a-z-]+)/.exec(message)?.[1];
  if (flag === undefined) return '';
  const setting = `PORTARIA_${flag.toUpperCase().replaceAll('-', '_')}`;
  if (!Object.hasOwn(settings, setting)) return '';
  return `Settings are environment variables: ${setting}=<value> portaria serve\n`;
}

/** A hint for a mistyped subcommand of a command that also runs without one, such as `contract drfit`. */
function subcommandHint(program: Command, message: string): string {
  const [, name, word] =
    /^error: too many arguments for '(\S+)'.* got \d+: (\S+?)(?:,|\.\s*$)/.exec(message) ?? [];
  const command = program.commands.find((each) => each.name() === name);
  if (command === undefined || word === undefined) return '';
  const meant = suggest(
    word,
    command.commands.map((each) => each.name()),
  );
  return meant === undefined ? '' : `(Did you mean ${command.name()} ${meant}?)\n`;
}

/** What `portaria --help` prints after the commands. */
const helpEpilogue = `
Examples:
  portaria init my-handlers                             write a project with handlers of your own
  portaria dev my-handlers                              serve while you write: each change starts again
  portaria serve                                        receive webhooks and run handlers
  portaria send company.created --set data.id=7         post a sample event to the running serve
  portaria events list --kind 'traffic-violation.*' --since 2h
  portaria subjects show company-login:12               every event of one entity, with its outcome
  portaria deliveries list --status dead --json | jq -r .last_error
  portaria deliveries retry --status dead --handler forward
  portaria quarantine release --plan                    how many entries would be accepted now
  portaria replay --handler payment-slip --since 3d --dry-run

Every command except serve, dev, restore, store compact, store copy and store renew-id (without --keep-id) can
run beside a running serve, on the same database.

Settings are environment variables (PORTARIA_DATABASE, PORTARIA_HANDLERS, ...): docs/configuration.md.

Exit codes:
${exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(5)}${meaning}`).join('\n')}
`;
