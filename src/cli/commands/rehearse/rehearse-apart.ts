/** Rehearses handlers in a process of its own, and begins again behind one that ends or blocks it. */
import { spawn, type StdioOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../../config/read-settings.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { ownModule } from '../../../kernel/files/package-files.ts';
import type { JsonValue } from '../../../kernel/json/json.ts';
import type { EventFilter } from '../../../store/queries.ts';

/** A declared answer; a `url` that ends in `*` is a prefix. */
export interface Answer {
  readonly method?: string | undefined;
  readonly url: string;
  readonly status?: number | undefined;
  readonly body?: unknown;
}

/** What the rehearsing process is told. */
export interface ApartRehearsal {
  readonly filter: EventFilter;
  /** The number of events, evenly spread; null for all. */
  readonly sample: number | null;
  /** The file of an export; null for the store. */
  readonly from: string | null;
  readonly answers: readonly Answer[];
  /** The event to begin with, and handlers that are left out, after one has ended the process. */
  readonly first?: string;
  readonly without?: readonly string[];
}

/** Something that code would have sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** What a handler, a fold or an effect did with an event. */
export interface RunResult {
  readonly event: string;
  readonly handler: string;
  readonly outcome: 'succeeds' | 'skips' | 'fails' | 'not rehearsed';
  readonly reason: string | null;
  readonly requests: readonly SentRequest[];
  readonly effects: readonly string[];
}

/** The state that a machine has, and the one that the rehearsed code computes. */
export interface StateResult {
  readonly event: string;
  readonly handler: string;
  readonly subject: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** A run that begins, of a delivery with this name. */
type Began = Pick<RunResult, 'event' | 'handler'> & { readonly name: string; readonly timeoutMs: number };

/** A line of the rehearsing process. */
export type Said =
  | { readonly begins: Began }
  | { readonly run: RunResult }
  | { readonly state: StateResult }
  | { readonly ends: Pick<Rehearsed, 'events' | 'leftOut' | 'personalNames'> }
  | { readonly error: Pick<PortariaError, 'code' | 'message' | 'problems'> };

export interface Rehearsed {
  readonly runs: Map<string, RunResult>;
  readonly states: Map<string, StateResult>;
  readonly events: number;
  /** Events without a body, and lines that are no event. */
  readonly leftOut: number;
  readonly personalNames: readonly string[];
}

/** Milliseconds beyond its time limit in which a run ends, unless it blocks the process. */
const UNWIND_MS = 8_000;

/**
 * Rehearses the handlers of an environment. A handler that ends or blocks the process has failed, and is left out of
 * the rest.
 *
 * @throws PortariaError what the process has reported
 */
export async function rehearseApart(
  rehearsal: ApartRehearsal,
  options: { readonly env: Environment; readonly cwd: string; readonly signal: AbortSignal },
): Promise<Rehearsed> {
  const runs: Rehearsed['runs'] = new Map();
  const states: Rehearsed['states'] = new Map();
  const without: string[] = [];
  const program = fileURLToPath(ownModule('src/cli/commands/rehearse/rehearse-process'));
  for (let first: string | undefined; ;) {
    const stdio: StdioOptions = ['pipe', 'ignore', 'ignore', 'pipe'];
    const child = spawn(process.execPath, [program], { ...options, killSignal: 'SIGKILL', stdio });
    const ended = new Promise<string>((resolve) => {
      child.once('error', () => resolve('was stopped'));
      child.once('close', (code) => resolve(code === null ? 'was blocked' : `ended with ${String(code)}`));
    });
    child.stdin?.on('error', () => undefined).end(JSON.stringify({ ...rehearsal, first, without }));
    let began: Began | undefined;
    let timer: NodeJS.Timeout | undefined;
    for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
      clearTimeout(timer);
      const said = JSON.parse(line) as Said;
      if ('error' in said) throw new PortariaError(said.error.code, said.error.message, said.error);
      if ('ends' in said) return { runs, states, ...said.ends };
      if ('state' in said) states.set(`${said.state.handler} ${said.state.subject}`, said.state);
      // The event behind which a process began again runs twice: the first result counts.
      if ('run' in said && !runs.has(keyOf(said.run))) runs.set(keyOf(said.run), said.run);
      if (!('begins' in said)) continue;
      began = said.begins;
      timer = setTimeout(() => child.kill('SIGKILL'), began.timeoutMs + UNWIND_MS);
    }
    clearTimeout(timer);
    const how = await ended;
    options.signal.throwIfAborted();
    if (began === undefined) throw new PortariaError('handler-invalid', `The process ${how} before an event`);
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
