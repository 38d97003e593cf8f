import { Command } from 'commander';
import { packageVersion } from '../package-root.ts';
import { addContract } from './commands/contract-command.ts';
import { addDeliveries } from './commands/deliveries/deliveries-command.ts';
import { addDoctor } from './commands/doctor/doctor-command.ts';
import { addEvents } from './commands/events/events-command.ts';
import { addHandlers } from './commands/handlers-command.ts';
import { addMachines } from './commands/machines/machines-command.ts';
import { addQuarantine } from './commands/quarantine/quarantine-command.ts';
import { addReplay } from './commands/replay/replay-command.ts';
import { addSend } from './commands/send/send-command.ts';
import { addServe } from './commands/serve/serve-command.ts';
import { addStats } from './commands/stats-command.ts';
import { addSubjects } from './commands/subjects-command.ts';
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
 * The command line. Settings that commands inherit come before the commands:
 * commander copies them when a command is made.
 */
export function createProgram(session: Session): Command {
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

  program.commandsGroup('Receive:');
  addServe(program, session);
  addSend(program, session);
  program.commandsGroup('Look at:');
  addEvents(program, session);
  addDeliveries(program, session);
  addQuarantine(program, session);
  addSubjects(program, session);
  addMachines(program, session);
  addHandlers(program, session);
  addStats(program, session);
  program.commandsGroup('Run again (also: deliveries retry, quarantine release, machines rebuild):');
  addReplay(program, session);
  program.commandsGroup('About this installation:');
  addContract(program, session);
  addDoctor(program, session);
  program.helpCommand('help [command]', 'what a command does, and its flags');
  refuseSecondValues(program);
  return program;
}

/** Text wider than this is hard to read, and pipes have no width of their own. */
function helpWidth(columns: number): number {
  return Math.min(columns, 110);
}
