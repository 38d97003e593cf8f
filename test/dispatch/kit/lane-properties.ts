import type { Definition } from '../../../src/handle/define/definition.ts';
import { defineHandler } from '../../../src/handle/define/handler.ts';
import { Discard, GiveUp, RetryLater } from '../../../src/handle/define/outcome.ts';
import { eventNumber } from '../../../src/handle/fold/event-number.ts';
import type { LaneOrder } from '../../../src/store/route.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import type { ManualClock } from '../../../src/testing/manual-clock.ts';

const ATTEMPTS = 3;
const TIMEOUT_MS = 40;

/** What a handler does in one attempt. */
export type Behaviour = 'return' | 'discard' | 'give-up' | 'throw' | 'later' | 'abort' | 'abort-late';

const behaviours: readonly Behaviour[] = [
  'return',
  'return',
  'return',
  'return',
  'discard',
  'give-up',
  'throw',
  'throw',
  'later',
  'abort',
  'abort-late',
];

/** One call of a handler, as observed. */
export interface Call {
  readonly handler: string;
  readonly subject: string;
  readonly event: number;
  readonly attempt: number;
  readonly startedAt: number;
  /** Null while it runs. */
  endedAt: number | null;
}

/** Handlers of every lane order, whose attempts end at random, determined by a seed. */
export interface RandomHandlers {
  readonly definitions: readonly Definition[];
  readonly calls: readonly Call[];
  /** The status that the delivery must end with, and after how many attempts. */
  expected(handler: string, event: number): { readonly status: string; readonly attempts: number };
}

export const handlerNames: Readonly<Record<string, LaneOrder>> = {
  'by-subject': 'subject',
  'by-subject-too': 'subject',
  'one-line': 'handler',
  'free-for-all': 'none',
};

export function randomHandlers(seed: number, clock: () => ManualClock): RandomHandlers {
  const calls: Call[] = [];
  const draw = (handler: string, event: number, attempt: number): (() => number) =>
    seededRandom(seed * 7_919 + event * 101 + attempt * 13 + Object.keys(handlerNames).indexOf(handler));
  const behaviour = (handler: string, event: number, attempt: number): Behaviour =>
    behaviours[Math.floor(draw(handler, event, attempt)() * behaviours.length)] ?? 'return';

  function act(how: Behaviour): unknown {
    if (how === 'throw') throw new Error('by chance');
    if (how === 'discard') return Discard('by chance');
    if (how === 'give-up') throw GiveUp('by chance');
    if (how === 'later') return RetryLater(25);
    return undefined;
  }

  const definitions = Object.entries(handlerNames).map(([name, order]) =>
    defineHandler({
      name,
      on: '*',
      order,
      timeoutMs: TIMEOUT_MS,
      retry: { attempts: ATTEMPTS, baseMs: 20, maxMs: 40 },
      breaker: { failures: 1_000_000, giveUps: 1_000_000 },
      async handle(event, { attempt, signal }) {
        const number = eventNumber(event.id);
        const call: Call = {
          handler: name,
          subject: event.subject.id,
          event: number,
          attempt,
          startedAt: clock().monotonic(),
          endedAt: null,
        };
        calls.push(call);
        const how = behaviour(name, number, attempt);
        const durationMs = Math.floor(draw(name, number, attempt + 50)() * 4) * 5;
        if (how === 'abort' || how === 'abort-late') await aborted(signal);
        const lingerMs = how === 'abort-late' ? TIMEOUT_MS / 2 : how === 'abort' ? 0 : durationMs;
        if (lingerMs > 0) await new Promise<void>((resolve) => clock().after(lingerMs, resolve));
        call.endedAt = clock().monotonic();
        return act(how);
      },
    }),
  );

  return {
    definitions,
    calls,
    expected(handler, event) {
      for (let attempt = 1; ; attempt += 1) {
        const how = behaviour(handler, event, attempt);
        if (how === 'return') return { status: 'succeeded', attempts: attempt };
        if (how === 'discard') return { status: 'skipped', attempts: attempt };
        if (how === 'give-up' || attempt === ATTEMPTS) return { status: 'dead', attempts: attempt };
      }
    },
  };
}

/** The lane of a call; null when it has none. */
function laneOf({ handler, subject }: Call): string | null {
  const order = handlerNames[handler];
  if (order === 'none') return null;
  return order === 'handler' ? handler : `${handler} ${subject}`;
}

/** All violations of the rules of lanes: no overlap, no reordering, attempts in sequence. */
export function violations(calls: readonly Call[]): readonly string[] {
  const found: string[] = [];
  const last = new Map<string, Call>();
  for (const call of calls) {
    const lane = laneOf(call);
    const name = `${call.handler} event ${String(call.event)} attempt ${String(call.attempt)}`;
    if (call.endedAt === null) found.push(`${name} never ended`);
    const before = lane === null ? undefined : last.get(lane);
    if (lane !== null) last.set(lane, call);
    if (before === undefined) continue;
    if (before.endedAt === null || before.endedAt > call.startedAt)
      found.push(`${name} overlaps with event ${String(before.event)}`);
    if (call.event < before.event) found.push(`${name} came after event ${String(before.event)}`);
    if (call.event === before.event && call.attempt !== before.attempt + 1)
      found.push(`${name} came after attempt ${String(before.attempt)}`);
    if (call.event !== before.event && call.attempt !== 1) found.push(`${name} has no earlier attempt`);
  }
  return found;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
