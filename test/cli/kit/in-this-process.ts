import { onTestFinished } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { rowsOf } from '../../support/running-portaria.ts';
import { capturedTerminal } from './captured-terminal.ts';

type Settings = Readonly<Record<string, string>>;

/** A watchdog would watch the thread of the tests. */
const here = {
  PORTARIA_PORT: '0',
  PORTARIA_OPS_PORT: '0',
  PORTARIA_LOG_FORMAT: 'json',
  PORTARIA_STALL_TIMEOUT_MS: '0',
};

function begin(args: readonly string[], env: Settings) {
  const terminal = capturedTerminal({ env: { ...here, ...env }, cwd: '/', clock: systemClock });
  const ended = runCli(args, terminal).then((code) => ({ code, ...terminal.written }));
  return { terminal, ended };
}

/** Runs one command to its end, as `portaria` of running-portaria.ts does in a process of its own. */
export function portaria(args: readonly string[], env: Settings) {
  return begin(args, env).ended;
}

/** Runs a `list` command with `--json` and returns its rows. */
export async function rows(
  args: readonly string[],
  env: Settings,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return rowsOf(await portaria([...args, '--json'], env), args);
}

/** Serves on free ports until the test ends. */
export async function serve(env: Settings) {
  const { terminal, ended } = begin(['serve'], env);
  const stop = async () => {
    terminal.interrupt();
    await ended;
  };
  onTestFinished(stop);
  await Promise.race([
    terminal.printed('Portaria is ready'),
    ended.then(({ out, err }) => Promise.reject(new Error(`it ended before it was ready:\n${out}${err}`))),
  ]);
  const url = /http:\/\/127\.0\.0\.1:\d+\/webhooks/.exec(terminal.written.out)?.[0] ?? '';
  return {
    url,
    written: () => terminal.written.out + terminal.written.err,
    stop,
    post: (envelope: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(envelope) }),
  };
}
