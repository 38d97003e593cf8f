/** Runs the program for one command line, from its arguments to its exit code. */
import { CommanderError, type Command } from 'commander';
import { PortariaError } from '../kernel/errors.ts';
import { printable } from '../kernel/text/printable.ts';
import { exitCode, exitCodeFor, type ExitCode } from './exit-code.ts';
import { createProgram, type GlobalFlags } from './program.ts';
import { createSession } from './session.ts';
import type { Terminal } from './terminal/terminal.ts';
import { OutputClosed, write } from './terminal/text-output.ts';
import type { Environment } from '../config/read-settings.ts';

/**
 * Runs one command line and returns the exit code of the process. Never rejects.
 *
 * @param args the arguments without node and script.
 */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let program: Command | undefined;
  const flags = (): GlobalFlags => program?.opts<GlobalFlags>() ?? {};
  const session = createSession(terminal, (env) => withDatabase(env, flags().database));
  try {
    program = await createProgram(session, args);
    await program.parseAsync([...args], { from: 'user' });
    return session.exitCode;
  } catch (error) {
    // Commander has already printed its error, or the help or version that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    if (error instanceof OutputClosed) return session.exitCode;
    const verbose = flags().verbose ?? terminal.env['PORTARIA_LOG_LEVEL'] === 'debug';
    write(terminal.err, `${explainError(error, verbose)}\n`);
    return PortariaError.is(error) ? exitCodeFor(error.code) : exitCode.failed;
  }
}

/** Formats an error for people: a summary, a line for each problem and each cause, and with `verbose` the stack. */
function explainError(error: unknown, verbose: boolean): string {
  if (!(error instanceof Error)) return `error: ${printable(String(error))}`;
  const [summary = ''] = error.message.split('\n');
  const hasProblems = PortariaError.is(error) && error.problems.length > 0;
  // The message may repeat the problems, so only its first line is printed above them.
  const lines = [`error: ${printable(hasProblems ? summary : error.message)}`];
  if (PortariaError.is(error))
    for (const { where, message } of error.problems) lines.push(printable(`  ${where}: ${message}`));
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause)
    lines.push(printable(`  because: ${cause.message}`));
  if (verbose && error.stack !== undefined) lines.push(printable(error.stack));
  else if (!PortariaError.is(error)) lines.push('  (add --verbose for the stack trace)');
  return lines.join('\n');
}

/**
 * Returns the settings with the database of `--database`. It takes the place of the setting's value, of its file, and of
 * the direct address, which may be of another database.
 *
 * @throws PortariaError `misconfigured` for an address with a password
 */
function withDatabase(environment: Environment, database: string | undefined): Environment {
  if (database === undefined) return environment;
  return {
    ...environment,
    PORTARIA_DATABASE: requireNoPassword(database),
    PORTARIA_DATABASE_FILE: '',
    PORTARIA_DATABASE_DIRECT: '',
    PORTARIA_DATABASE_DIRECT_FILE: '',
  };
}

/** Every user of the machine can read the arguments of a process. */
function requireNoPassword(database: string): string {
  const address = database.trim();
  const url = /^postgres/iu.test(address) ? URL.parse(address) : null;
  if (url === null || (url.password === '' && !url.searchParams.has('password'))) return address;
  throw new PortariaError('misconfigured', 'The settings are not valid', {
    problems: [
      {
        where: '--database',
        message:
          'must not contain a password, because others can read the arguments of a process; set PORTARIA_DATABASE, or keep the password in ~/.pgpass or PGPASSWORD',
      },
    ],
  });
}
