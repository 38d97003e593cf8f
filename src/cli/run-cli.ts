import { CommanderError, type Command } from 'commander';
import { PortariaError } from '../kernel/errors.ts';
import { exitCode, exitCodeFor, type ExitCode } from './exit-code.ts';
import { explainFailure } from './explain-failure.ts';
import { createProgram, type GlobalFlags } from './program.ts';
import { createSession } from './session.ts';
import type { Terminal } from './terminal/terminal.ts';
import { OutputClosed, write } from './terminal/text-output.ts';

/**
 * Runs one command line, `args` without node and script, and returns what the
 * process should end with. Never rejects.
 */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let program: Command | undefined;
  const flags = (): GlobalFlags => program?.opts<GlobalFlags>() ?? {};
  const session = createSession(terminal, () => {
    const { database } = flags();
    return database === undefined ? {} : { PORTARIA_DATABASE: database };
  });
  try {
    program = await createProgram(session, args);
    await program.parseAsync([...args], { from: 'user' });
    return session.exitCode;
  } catch (error) {
    // Commander has said what is wrong; with help and version, nothing is.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    if (error instanceof OutputClosed) return session.exitCode;
    const verbose = flags().verbose ?? terminal.env['PORTARIA_LOG_LEVEL'] === 'debug';
    write(terminal.err, `${explainFailure(error, { verbose })}\n`);
    return PortariaError.is(error) ? exitCodeFor(error.code) : exitCode.failed;
  }
}
