import type { JsonValue } from '../../kernel/json/json.ts';
import type { RetryPolicy } from '../../kernel/time/backoff.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { BreakerPolicy } from './handler.ts';
import type { HandlerContext } from './handler-context.ts';
import type { TransitionTable } from './transition-table.ts';

/** What one event did to a machine's state. */
export interface Change {
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly event: StoredEvent;
}

/** Something to do about a change, delivered and retried on its own. */
export interface Effect {
  readonly name: string;
  /** Pure: whether this change calls for the effect. */
  when(change: Change): boolean;
  /** `late` when an event older than what was known brought the change about. */
  run(change: Change & { readonly late: boolean }, context: HandlerContext): unknown;
}

/** A machine as the dispatcher runs it: defaults filled in, types erased. */
export interface Machine {
  readonly type: 'machine';
  readonly name: string;
  /** Kinds and wildcards. */
  readonly on: readonly string[];
  /** For its effects, and for its fold when that throws. */
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly breaker: BreakerPolicy;
  /** The state before any event. */
  readonly initial: JsonValue;
  /** Pure: the state after the event. */
  evolve(state: JsonValue, event: StoredEvent): JsonValue;
  /** Pure: what is impossible about the change; empty when all is well. */
  anomalies(change: Change): readonly string[];
  readonly effects: readonly Effect[];
  /** The moves as data, for drawing; null when the machine has no table. */
  readonly table: TransitionTable | null;
}
