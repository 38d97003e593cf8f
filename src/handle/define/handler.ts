import type { RetryPolicy } from '../../kernel/time/backoff.ts';
import type { EventKind } from '../../contract/catalogue.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { LaneOrder } from '../../store/route.ts';
import type { TypedEvent } from '../fold/event-of.ts';
import type { HandlerContext } from './handler-context.ts';

/** When a handler that keeps failing is paused. */
export interface BreakerPolicy {
  /** Failures in a row, whatever the subject, */
  readonly failures: number;
  /** of at least this many different subjects. */
  readonly subjects: number;
}

/** A handler as the dispatcher runs it: defaults filled in, types erased. */
export interface Handler {
  readonly type: 'handler';
  readonly name: string;
  /** Kinds and wildcards. */
  readonly on: readonly string[];
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly order: LaneOrder;
  /** Whether it wants events older than what is known of their subject. */
  readonly stale: boolean;
  readonly breaker: BreakerPolicy;
  handle(event: StoredEvent | TypedEvent<EventKind>, context: HandlerContext): unknown;
}
