import { eventually } from './eventually.ts';
import { launchProgram, type Ended } from './launch-program.ts';

/** A running provider (`portaria service`). */
export interface RunningProvider {
  /** Its URL, without a trailing slash. */
  readonly url: string;
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts the provider on a free port with this database, and waits until it is ready. */
export async function runProvider(file: string, ...options: readonly string[]): Promise<RunningProvider> {
  const { child, ended, out } = launchProgram(['--database', file, 'service', '--port', '0', ...options]);
  const url = await eventually('the provider is ready', () => {
    if (child.exitCode !== null) throw new Error(`it ended before it was ready:\n${out()}`);
    return /(http:\/\/127\.0\.0\.1:\d+)\/v1/.exec(out())?.[1];
  });
  return { url, ended, kill: (signal) => void child.kill(signal) };
}
