import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** What a user runs: the built program, not the sources. */
const program = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has written so far, to either output. */
  readonly out: () => string;
}

/**
 * Runs the command line with these arguments and no settings but these; it does not outlive its test.
 *
 * @param under a command that runs it, such as a tracer, with its arguments
 */
export function launchProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  under: readonly string[] = [],
): Program {
  return launch([...under, process.execPath, program, ...args], env);
}

/** The same on a terminal of its own (Linux), as a person runs it; \n comes as \r\n. */
export function onTerminal(args: readonly string[], env: Readonly<Record<string, string>>): Program {
  const words = [process.execPath, program, ...args].map(
    (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`,
  );
  const command = `stty cols 100 && exec ${words.join(' ')}`;
  return launch(['script', '-qec', command, '/dev/null'], { TERM: 'xterm-256color', ...env });
}

/** Runs Node.js with these arguments; it does not outlive its test. */
export function launchNode(args: readonly string[]): Program {
  return launch([process.execPath, ...args], {});
}

function launch(words: readonly string[], env: Readonly<Record<string, string>>): Program {
  const [command = '', ...rest] = words;
  const child = spawn(command, rest, {
    // Nothing of the developer's own settings.
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, ...texts });
    });
  });
  return { child, ended, out: () => texts.out + texts.err };
}
