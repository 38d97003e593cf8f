/** The handlers of the simulation. What a call does follows from the mood of its handler's target and the seed. */
import type { Definition } from '../../../src/handle/define/definition.ts';
import type { HandlerContext } from '../../../src/handle/define/handler-context.ts';
import { defineHandler } from '../../../src/handle/define/handler.ts';
import { defineMachine } from '../../../src/handle/define/machine.ts';
import { Discard, GiveUp, RetryLater } from '../../../src/handle/define/outcome.ts';
import type { Call } from '../checker/calls.ts';
import { violated } from '../checker/violation.ts';
import type { Mood } from '../story.ts';
import type { VirtualTime } from '../world/virtual-time.ts';
import { EFFECTS, handlerNames, isLimited, MACHINE } from './names.ts';

const TIMEOUT_MS = 300;
/** After it, at the latest, a run that ignores its signal is abandoned. */
export const ABANDONED_MS = TIMEOUT_MS + 2_000;
/** How long the newest event waits for others. */
export const WAITS = { quietMs: 100, maxWaitMs: 500 };
/** One call in 20 ms. */
export const RATE = { name: 'erp', limit: 50, per: 'second', burst: 4 } as const;

export const policies = {
  watcher: { attempts: 3, hold: false, stale: true, order: 'subject' },
  newest: { attempts: 2, hold: true, stale: false, order: 'subject' },
  queue: { attempts: 3, hold: false, stale: false, order: 'handler' },
  loose: { attempts: 2, hold: false, stale: false, order: 'none' },
  [MACHINE]: { attempts: 3, hold: false, stale: true, order: 'subject' },
  [EFFECTS]: { attempts: 3, hold: false, stale: true, order: 'subject' },
  index: { attempts: 3, hold: false, stale: false, order: 'latest' },
  erp: { attempts: 3, hold: false, stale: false, order: 'subject' },
} as const;

export const kindsOf: Readonly<Record<string, readonly string[]>> = {
  watcher: ['charge.updated', 'console-user.updated'],
  newest: ['charge.updated', 'console-user.updated'],
  queue: ['console-user.updated'],
  loose: ['charge.updated'],
  [MACHINE]: ['charge.updated', 'console-user.updated'],
  index: ['charge.updated', 'console-user.updated'],
  erp: ['charge.updated'],
};

/** After an upgrade of the handlers: one takes more kinds, one takes another. */
export const otherKindsOf: typeof kindsOf = {
  ...kindsOf,
  loose: ['charge.updated', 'console-user.updated'],
  queue: ['charge.updated'],
};

/** What a call of a handler reports to, and asks for. */
export interface CallHost {
  readonly seed: number;
  readonly time: VirtualTime;
  /** Null in a process that is dead. */
  begin(handler: string, event: { readonly id: string }, context: HandlerContext): Call | null;
  end(call: Call, how: Call['how']): void;
  moodOf(handler: string): Mood;
  /** A number from 0 to 1 for this call. */
  draw(call: Call, salt: number): number;
  die(): void;
  /** The call keeps the event loop from turning. */
  block(call: Call): void;
  fail(error: unknown): void;
}

type Act =
  'return' | 'discard' | 'give-up' | 'throw' | 'later' | 'hang' | 'linger' | 'late' | 'die' | 'block';

const acts: Readonly<Record<Mood, readonly Act[]>> = {
  good: ['return'],
  mixed: ['return', 'return', 'return', 'return', 'throw', 'throw', 'discard', 'give-up', 'later', 'hang'],
  bad: ['throw', 'throw', 'throw', 'throw', 'return', 'give-up'],
  slow: ['return', 'hang', 'linger', 'late', 'return'],
  refusing: ['give-up', 'give-up', 'discard', 'later', 'return'],
  deadly: [...Array<Act>(8).fill('return'), 'throw', 'throw', 'throw', 'die', 'block'],
};

/** Each time another one: what waits for the same one for ever would keep its world in memory. */
const never = (): Promise<never> => new Promise<never>(() => undefined);

function run(
  host: CallHost,
  handler: string,
  event: { readonly id: string },
  context: HandlerContext,
): unknown {
  const call = host.begin(handler, event, context);
  if (call === null) return never();
  const drawn = acts[host.moodOf(handler)];
  const act = drawn[Math.floor(host.draw(call, 1) * drawn.length)] ?? 'return';
  if (act === 'die' || act === 'block') {
    if (act === 'die') host.die();
    else host.block(call);
    return never();
  }
  const slow = act === 'hang' || act === 'linger' || act === 'late';
  if (!slow && host.draw(call, 2) < 0.6) return finish(host, call, act);
  return later(host, call, act, context.signal);
}

async function later(host: CallHost, call: Call, act: Act, signal: AbortSignal): Promise<unknown> {
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      host.time.after(ms, resolve);
    });
  if (act === 'linger') await wait(ABANDONED_MS + 4_000);
  else if (act === 'hang' || act === 'late') await aborted(signal);
  else await wait(Math.floor(host.draw(call, 3) * 80));
  if (act === 'late') await wait(700);
  return finish(host, call, act, signal);
}

function finish(host: CallHost, call: Call, act: Act, signal?: AbortSignal): unknown {
  const asked = act === 'return' || act === 'discard' || act === 'give-up' || act === 'later' ? act : 'throw';
  // It has timed out, whatever it returns.
  const how = act === 'late' ? 'return' : asked;
  const waitMs = 40 + Math.floor(host.draw(call, 4) * 2_000);
  const rate = how === 'later' && host.draw(call, 6) < 0.5;
  if (how === 'later') Object.assign(call, { waitMs, closesRate: rate });
  if (signal?.aborted !== true) host.end(call, how);
  else host.end(call, (signal.reason as Error).name === 'TimeoutError' ? 'timed-out' : 'stopped');
  if (how === 'discard') return Discard('it says so');
  if (how === 'give-up') throw GiveUp('it never works');
  if (how === 'later') return RetryLater(waitMs, { rate });
  if (how === 'throw') throw new Error(`failed as ${String(Math.floor(host.draw(call, 5) * 3))} of 3`);
  return undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      resolve();
    };
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}

/** The state of the machine: it differs with the order of the events. */
export interface Ledger {
  readonly [key: string]: string | number;
  readonly chain: string;
  readonly events: number;
  readonly status: string;
}

export const emptyLedger: Ledger = { chain: '', events: 0, status: 'none' };

/** A number that differs with the text. */
export function mixedWith(start: number, text: string): number {
  let mixed = start;
  for (const character of text) mixed = (Math.imul(mixed, 31) + character.charCodeAt(0)) | 0;
  return mixed;
}

export function ledgerAfter(state: Ledger, content: string, status: string): Ledger {
  const mixed = mixedWith(7, `${state.chain}/${content}`);
  return { chain: (mixed >>> 0).toString(36), events: state.events + 1, status };
}

/** Effects of the machine: two of them may follow from one event. */
export const effects: Readonly<Record<'overdue' | 'noted', (before: Ledger, after: Ledger) => boolean>> = {
  overdue: (before, after) => before.status !== 'overdue' && after.status === 'overdue',
  noted: (before, after) => before.status === 'none' && after.status !== 'none',
};

export function anomalyOf(before: Ledger, after: Ledger): string | null {
  return before.status === 'paid' && after.status === 'pending' ? 'it was paid, and is pending again' : null;
}

/** What of the data the machine folds. */
export function foldedContent(data: object): { content: string; status: string } {
  const fields = new Map<string, unknown>(Object.entries(data));
  const [code, uid] = [fields.get('code'), fields.get('external_uid')];
  const content = JSON.stringify(code ?? [fields.get('updated_at'), uid]);
  // A console user has no status: every third of its contents counts as overdue.
  const status = typeof uid === 'string' && Number(uid.slice(1)) % 3 === 2 ? 'overdue' : fields.get('status');
  return { content, status: typeof status === 'string' ? status : 'none' };
}

export function breakerPolicy(): { failures: number; subjects: number; giveUps: number } {
  return { failures: 4, subjects: 2, giveUps: 3 };
}

function effectOf(host: CallHost, name: keyof typeof effects) {
  return {
    when: ({ before, after }: { readonly before: Ledger; readonly after: Ledger }) =>
      effects[name](before, after),
    run(
      { before, after, event }: { before: Ledger; after: Ledger; event: { id: string; data: object } },
      context: HandlerContext,
    ) {
      const { content, status } = foldedContent(event.data);
      if (!effects[name](before, after) || after.chain !== ledgerAfter(before, content, status).chain)
        host.fail(
          violated('fold', `the effect ${name} of ${event.id} has another change`, { before, after }),
        );
      return run(host, EFFECTS, event, context);
    },
  };
}

/** Those of the handlers whose bit is set. */
export function simulatedHandlers(host: CallHost, mask: number, kinds = kindsOf): readonly Definition[] {
  const breaker = breakerPolicy();
  const retry = (attempts: number) => ({ attempts, baseMs: 50, maxMs: 400 });
  const defined = handlerNames.map((name): Definition => {
    if (name === MACHINE)
      return defineMachine({
        name,
        on: ['charge.updated', 'console-user.updated'],
        initial: emptyLedger,
        timeoutMs: TIMEOUT_MS,
        retry: retry(policies[name].attempts),
        breaker,
        evolve(state, { data }) {
          const { content, status } = foldedContent(data);
          return ledgerAfter(state, content, status);
        },
        anomalies({ before, after }) {
          const found = anomalyOf(before, after);
          return found === null ? [] : [found];
        },
        effects: { overdue: effectOf(host, 'overdue'), noted: effectOf(host, 'noted') },
      });
    const { attempts, hold, stale, order } = policies[name];
    return defineHandler({
      name,
      on: (kinds[name] ?? []) as readonly ['charge.updated'],
      order,
      ...(order === 'latest' && WAITS),
      ...(isLimited(name, host.seed) && { rate: RATE }),
      stale,
      timeoutMs: TIMEOUT_MS,
      retry: retry(attempts),
      breaker,
      ...(hold && { afterDeadLetter: 'hold' as const }),
      handle: (event, context) => run(host, name, event, context),
    });
  });
  return defined.filter((_, at) => (mask >> at) % 2 === 1);
}
