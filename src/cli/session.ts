import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/read-settings.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';
import { writeText } from './terminal/text-output.ts';

/** One run of the command line: the terminal, the configuration and the exit code. */
export interface Session {
  readonly terminal: Terminal;
  /** The exit code of the process. A command that fails in part sets it. */
  exitCode: ExitCode;
  /** The environment variables, overridden by flags such as `--database`. */
  environment(): Environment;
  /** @throws PortariaError `misconfigured`, with every problem. */
  config(): Config;
  /** Writes a line of the result to standard output. */
  print(text: string): Promise<void>;
  /** Writes a hint, a warning or progress to standard error, so that piped output holds only data. */
  note(text: string): Promise<void>;
}

/** Settings that flags override, by environment variable. */
export type Overrides = () => Environment;

/** @param overrides is called after the command line is parsed. */
export function createSession(terminal: Terminal, overrides: Overrides): Session {
  const environment = () => ({ ...terminal.env, ...overrides() });
  return {
    terminal,
    exitCode: exitCode.ok,
    environment,
    config: () => loadConfig(environment(), terminal.cwd),
    print: (text) => writeText(terminal.out, `${text}\n`),
    note: (text) => writeText(terminal.err, `${text}\n`),
  };
}
