/** What every command has: the terminal, the settings, and the exit code that it ends with. */
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/read-settings.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';
import { writeNote, writeText } from './terminal/text-output.ts';

/** One run of the command line: the terminal, the configuration and the exit code. */
export interface Session {
  readonly terminal: Terminal;
  /** The exit code of the process. A command that fails in part sets it. */
  exitCode: ExitCode;
  /** The environment variables, overridden by flags such as `--database`. */
  environment(): Environment;
  /**
   * The configuration of a command that does not call the provider's API: the settings of the API are ignored.
   *
   * @throws PortariaError `misconfigured`, with every problem.
   */
  config(): Config;
  /** The whole configuration. @throws PortariaError `misconfigured`, with every problem. */
  configWithApi(): Config;
  /** Writes a line of the result to standard output. */
  print(text: string): Promise<void>;
  /** Writes a hint, a warning or progress to standard error, so that piped output holds only data. */
  note(text: string): Promise<void>;
}

/** @param override returns the environment with what flags override. It is called after the command line is parsed. */
export function createSession(
  terminal: Terminal,
  override: (environment: Environment) => Environment,
): Session {
  const environment = () => override(terminal.env);
  return {
    terminal,
    exitCode: exitCode.ok,
    environment,
    config: () => loadConfig(withoutApi(environment()), terminal.cwd),
    configWithApi: () => loadConfig(environment(), terminal.cwd),
    print: (text) => writeText(terminal.out, `${text}\n`),
    note: (text) => writeNote(terminal.err, text),
  };
}

/** The key alone is set in many shells, for programs that use the client. Only callers of the API need the URL. */
export function withoutApi(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PORTARIA_API_')));
}
