import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whenOver } from './when-over.ts';

/** The built program, which users run, not the sources. */
const builtProgram = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has printed so far, on both outputs. */
  readonly out: () => string;
}

/**
 * Runs the command line with these arguments and settings only. It is killed when the test ends, or its file.
 *
 * @param under a command that runs the program, with its arguments: for example a tracer.
 * @param program the built program of another version
 */
export function launchProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  under: readonly string[] = [],
  program = builtProgram,
): Program {
  return launch([...under, process.execPath, program, ...args], env);
}

/** Runs the command line on a pseudo-terminal of its own (Linux only). Line ends are \r\n. */
export function onTerminal(args: readonly string[], env: Readonly<Record<string, string>>): Program {
  const words = [process.execPath, builtProgram, ...args].map(
    (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`,
  );
  const command = `stty cols 100 && exec ${words.join(' ')}`;
  return launch(['script', '-qec', command, '/dev/null'], { TERM: 'xterm-256color', ...env });
}

/** Runs Node.js with these arguments. It is killed when the test ends. */
export function launchNode(args: readonly string[]): Program {
  return launch([process.execPath, ...args], {});
}

function launch(words: readonly string[], env: Readonly<Record<string, string>>): Program {
  const [command = '', ...rest] = words;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(command, rest, {
    // The developer's own settings and disk must not reach the program.
    env: { PATH, NODE_COMPILE_CACHE, PORTARIA_DISK_LOW: '0%,0MiB', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  whenOver(() => child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, ...output });
    });
  });
  return { child, ended, out: () => output.out + output.err };
}

/** Writes a module for `--require` with which a program believes that it runs on Node.js 20.20.2. Returns its path. */
export function olderNode(folder: string): string {
  const preload = join(folder, 'as-node-20.cjs');
  writeFileSync(
    preload,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`,
  );
  return preload;
}
