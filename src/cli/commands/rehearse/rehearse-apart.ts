/** Rehearses handlers in a process of its own, and begins again behind one that ends or blocks it. */
import { spawn, type StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../../config/read-settings.ts';
import { settings } from '../../../config/settings.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { ownModule } from '../../../kernel/files/package-files.ts';
import type { Cancel, Clock } from '../../../kernel/time/clock.ts';
import type { ApartRehearsal, Began, Rehearsed, Said, RunResult } from '../../../rehearse/protocol.ts';

/** Node's own permissions: code writes no file and starts no process. Older versions leave the network to Portaria. */
const PERMISSIONS = ['--permission', '--allow-fs-read=*', '--allow-addons', '--allow-worker', '--allow-net'];

/** Milliseconds beyond its time limit in which a run ends, unless it blocks the process. */
const UNWIND_MS = 8_000;

/** Milliseconds in which the process says that it works: it loads handlers and reads events. */
const SILENCE_MS = 120_000;

/** Every code of the process can read its environment, also what is deleted from it. */
const SECRETS = new Set(
  Object.entries(settings).flatMap(([name, each]) => ('secret' in each ? [name, `${name}_FILE`] : [])),
);

/**
 * Rehearses the handlers of an environment. A handler that ends or blocks the process has failed, and is left out of
 * the rest.
 *
 * @throws PortariaError what the process has reported
 */
export async function rehearseApart(
  rehearsal: Omit<ApartRehearsal, 'mark' | 'secrets'>,
  {
    env,
    cwd,
    clock,
    signal,
  }: { readonly env: Environment; readonly cwd: string; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Rehearsed> {
  const runs: Rehearsed['runs'] = new Map();
  const states: Rehearsed['states'] = new Map();
  const without: string[] = [];
  const mark = randomUUID();
  const secrets = Object.fromEntries(Object.entries(env).filter(([name]) => SECRETS.has(name)));
  const open = Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.has(name)));
  const program = fileURLToPath(ownModule('src/cli/commands/rehearse/rehearse-process'));
  const permissions = PERMISSIONS.filter((flag) =>
    process.allowedNodeEnvironmentFlags.has(flag.replace(/=.*/u, '')),
  );
  for (let first: string | undefined; ;) {
    const stdio: StdioOptions = ['pipe', 'ignore', 'ignore', 'pipe'];
    const child = spawn(process.execPath, [...permissions, program], {
      env: open,
      cwd,
      signal,
      killSignal: 'SIGKILL',
      stdio,
    });
    const ended = new Promise<string>((resolve) => {
      child.once('error', () => resolve('was stopped'));
      child.once('close', (code) => resolve(code === null ? 'was blocked' : `ended with ${String(code)}`));
    });
    child.stdin
      ?.on('error', () => undefined)
      .end(JSON.stringify({ ...rehearsal, mark, secrets, first, without }));
    let began: Began | undefined;
    const stopAfter = (ms: number): Cancel => clock.after(ms, () => child.kill('SIGKILL'));
    let stopTimer = stopAfter(SILENCE_MS);
    for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
      if (!line.startsWith(mark)) continue;
      const said = JSON.parse(line.slice(mark.length)) as Said;
      stopTimer();
      stopTimer = stopAfter('begins' in said ? said.begins.timeoutMs + UNWIND_MS : SILENCE_MS);
      if ('error' in said || 'ends' in said) stopTimer();
      if ('error' in said) throw new PortariaError(said.error.code, said.error.message, said.error);
      if ('ends' in said) return { runs, states, ...said.ends };
      if ('state' in said) states.set(`${said.state.handler} ${said.state.subject}`, said.state);
      // The event behind which a process began again runs twice: the first result counts.
      if ('run' in said && !runs.has(keyOf(said.run))) runs.set(keyOf(said.run), said.run);
      if ('begins' in said) began = said.begins;
    }
    stopTimer();
    const how = await ended;
    signal.throwIfAborted();
    if (began === undefined)
      throw new PortariaError('handler-invalid', `The process ${how} before a handler ran`);
    const { event, handler, name } = began;
    const nothing = { requests: [], effects: [] };
    runs.set(keyOf(began), { event, handler, outcome: 'fails', reason: `the process ${how}`, ...nothing });
    without.push(name);
    first = event;
  }
}

function keyOf({ event, handler }: Pick<RunResult, 'event' | 'handler'>): string {
  return `${event} ${handler}`;
}
