import type { ChildProcess } from 'node:child_process';
import { eventually } from './eventually.ts';
import { launchProgram, type Ended, type Program } from './launch-program.ts';

/** The response to a posted webhook. */
export interface PostResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A `portaria serve` that is ready. */
export interface RunningPortaria {
  /** The URL for webhooks, as the program printed it. */
  readonly url: string;
  /** The URL of the private port, as the program printed it. */
  readonly operators: string;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it has printed so far, on both outputs. */
  written(): string;
  post(envelope: unknown): Promise<PostResponse>;
  kill(signal: NodeJS.Signals): void;
}

/** A `portaria serve` that was started and may not be ready yet. */
export interface StartedPortaria {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it has printed so far, on both outputs. */
  written(): string;
  kill(signal: NodeJS.Signals): void;
  /** Waits until it is ready. Rejects with its output if it ends first. */
  ready(): Promise<RunningPortaria>;
}

/**
 * Starts `portaria serve` on free ports and waits until it is ready.
 *
 * @param program the built program of another version
 */
export function serve(env: Readonly<Record<string, string>>, program?: string): Promise<RunningPortaria> {
  return startServe(env, [], program).ready();
}

/**
 * Starts `portaria serve` on free ports.
 *
 * @param under a command that runs the program, with its arguments: for example a tracer.
 * @param program the built program of another version
 */
export function startServe(
  env: Readonly<Record<string, string>>,
  under: readonly string[] = [],
  program?: string,
): StartedPortaria {
  const { child, ended, out } = launch(['serve'], env, under, program);
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
  const started = { pid: child.pid ?? 0, ended, written: out, kill };
  return {
    ...started,
    async ready() {
      const ready = await eventually('portaria is ready', async () => {
        const line = out().split('\n').find(isReadyLine);
        if (line !== undefined) return JSON.parse(line) as { listening: string; operators: string };
        if (hasEnded(child)) throw await endedBeforeReady(ended);
        return undefined;
      });
      return {
        ...started,
        url: ready.listening,
        operators: ready.operators,
        async post(envelope) {
          const response = await fetch(ready.listening, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(envelope),
          });
          return { status: response.status, body: (await response.json()) as PostResponse['body'] };
        },
      };
    },
  };
}

/** Starts `portaria serve` with logs for people, and waits for the curl command that it prints. */
export async function serveForPeople(env: Readonly<Record<string, string>>): Promise<{ curlLine: string }> {
  const { child, ended, out } = launch(['serve'], { ...env, PORTARIA_LOG_FORMAT: 'pretty' });
  const curlLine = await eventually('portaria prints a curl command', async () => {
    const line = /^ *curl .*\n/m.exec(out())?.[0];
    if (line === undefined && hasEnded(child)) throw await endedBeforeReady(ended);
    return line;
  });
  return { curlLine };
}

/** Runs one command to its end. */
export function portaria(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return launch(args, env).ended;
}

/** Runs a `list` command with `--json` and returns its rows. */
export async function rows(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return rowsOf(await portaria([...args, '--json'], env), args);
}

/** Returns the rows that a command with `--json` printed. Throws if it failed. */
export function rowsOf(
  { code, out, err }: Omit<Ended, 'signal'>,
  args: readonly string[],
): readonly Readonly<Record<string, unknown>>[] {
  if (code !== 0) throw new Error(`portaria ${args.join(' ')} ended with ${String(code)}: ${err}`);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function launch(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  under: readonly string[] = [],
  program?: string,
): Program {
  return launchProgram(args, { ...onFreePorts, ...env }, under, program);
}

const onFreePorts = { PORTARIA_PORT: '0', PORTARIA_OPS_PORT: '0', PORTARIA_LOG_FORMAT: 'json' };

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function endedBeforeReady(ended: Promise<Ended>): Promise<Error> {
  const { code, signal, out, err } = await ended;
  return new Error(`portaria ended with ${String(code ?? signal)} before it was ready:\n${out}${err}`);
}

function isReadyLine(line: string): boolean {
  return line.startsWith('{') && line.endsWith('}') && line.includes('Portaria is ready');
}
