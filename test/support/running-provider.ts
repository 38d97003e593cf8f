import { eventually } from './eventually.ts';
import { launchProgram, type Ended } from './launch-program.ts';

/** A `portaria provider` that answers. */
export interface RunningProvider {
  /** Without a slash at the end. */
  readonly url: string;
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts `portaria provider` on a free port and this file, and waits until it says that it is ready. */
export async function runProvider(file: string, ...options: readonly string[]): Promise<RunningProvider> {
  const { child, ended, out } = launchProgram(['--database', file, 'provider', '--port', '0', ...options]);
  const url = await eventually('the provider says that it is ready', () => {
    if (child.exitCode !== null) throw new Error(`it ended before it was ready:\n${out()}`);
    return /(http:\/\/127\.0\.0\.1:\d+)\/v1/.exec(out())?.[1];
  });
  return { url, ended, kill: (signal) => void child.kill(signal) };
}
