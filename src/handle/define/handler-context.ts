/** The context that handlers and effects receive. */
import type { Client } from '../../client/client.ts';
import type { Logger } from '../../kernel/logger.ts';

/** The second argument of `handle` and of an effect's `run`: everything about the delivery except the event. */
export interface HandlerContext {
  /**
   * The number of this attempt, from 1. Attempt 1 can run a second time: the
   * process may stop before it records that the attempt started.
   */
  readonly attempt: number;
  /** True when an operator replays the delivery. */
  readonly replay: boolean;
  /** Aborts at the handler's timeout and when the process stops. Pass it to everything you await. */
  readonly signal: AbortSignal;
  /** A logger whose entries name the delivery, the event, its kind and the handler. */
  readonly log: Logger;
  /**
   * `<event id>/<handler>` for a handler, `<event id>/<machine>/<effect>` for an
   * effect. It is the same for every attempt and every replay: pass it to a
   * system that must not act twice.
   */
  readonly idempotencyKey: string;
  /**
   * A client of the provider's API behind the event's source; null unless the source has `apiUrl` and a key, or
   * both `PORTARIA_API_URL` and `PORTARIA_API_KEY` are set. It retries by itself; pass it `signal`.
   */
  readonly client: Client | null;
  /**
   * Where a trace goes on, as the header `traceparent` of W3C: the span of this attempt, or what the webhook had if
   * there is no OpenTelemetry; null without either. `traceHeaders` makes the headers of a `fetch` from it.
   */
  readonly traceparent: string | null;
  /** When the webhook arrived, in milliseconds since 1970: the same number as the event's `receivedAt`. */
  readonly receivedAt: number;
}
