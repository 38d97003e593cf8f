import type { Client } from '../../client/client.ts';
import type { Logger } from '../../kernel/logger.ts';

/** What a handler knows beside the event itself. */
export interface HandlerContext {
  /** Which try this is, from 1. The first comes again, once, when the process ended before it was recorded. */
  readonly attempt: number;
  /** Whether an operator asked for this delivery again. */
  readonly replay: boolean;
  /** Aborted at the timeout and when the process stops. Pass it on to whatever you await. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * `<event id>/<handler>`, or `<event id>/<machine>/<effect>`: the same at
   * every try and every replay. Hand it to whatever must not act twice.
   */
  readonly idempotencyKey: string;
  /**
   * The provider's API; null unless `PORTARIA_API_URL` and `PORTARIA_API_KEY`
   * are set. Hand it the signal: it tries again by itself.
   */
  readonly client: Client | null;
  /** When the webhook arrived. */
  readonly receivedAt: Date;
}
