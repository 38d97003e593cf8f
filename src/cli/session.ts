import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/read-settings.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';
import { writeText } from './terminal/text-output.ts';

/** One run of the program: what its commands share. */
export interface Session {
  readonly terminal: Terminal;
  /** What the process will end with; commands that fail in part change it. */
  exitCode: ExitCode;
  /** The environment, with the flags that stand for settings laid over it. */
  environment(): Environment;
  /** @throws PortariaError `misconfigured` with all mistakes. */
  config(): Config;
  /** A line of the answer. */
  print(text: string): Promise<void>;
  /** A line beside the answer: hints, progress, warnings. Never in a pipe's data. */
  note(text: string): Promise<void>;
}

/** Settings that have a flag for every command, by their names. */
export type Overrides = () => Environment;

/** @param overrides read late: flags are known once the command line is parsed. */
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
