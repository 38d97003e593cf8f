/** Pauses that operators set, as the dispatcher applies them. */
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import { createPauseLookup, type Pause, type PauseLookup, type Pauses } from '../store/pauses.ts';

/** What the dispatcher says of a delivery that an operator's pause holds back. */
export const PAUSED_BY_OPERATOR = 'paused by an operator';

/**
 * The operators' pauses as this process knows them. The store claims nothing that is paused; what was claimed
 * before and has not begun is held back here.
 */
export interface OperatorPauses {
  /**
   * Reads the pauses again if any process has changed them, and then acknowledges them: from here on, no
   * delivery in their scope starts.
   */
  refresh(): Promise<void>;
  /** Whether all deliveries to a handler wait. */
  holdsHandler(handler: string): boolean;
  /** Whether a delivery waits. */
  holds(delivery: Pick<ClaimedDelivery, 'handler' | 'event'>): boolean;
}

export function createOperatorPauses(deps: {
  readonly store: Pick<Pauses, 'pauses' | 'pauseChanges' | 'acknowledgePauses'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'error'>;
}): OperatorPauses {
  const { store, clock, log } = deps;
  let known: number | null = null;
  let lookup: PauseLookup = createPauseLookup([]);

  async function acknowledge(pauses: readonly Pause[]): Promise<void> {
    const ids = pauses.filter(({ acknowledgedAt }) => acknowledgedAt === null).map(({ id }) => id);
    if (ids.length === 0) return;
    try {
      await store.acknowledgePauses(ids, clock.now());
    } catch (error) {
      log.error({ reason: failureReason(error) }, 'pauses are in force, and that could not be recorded');
      // The next poll reads and acknowledges them again.
      known = null;
    }
  }

  /** A pause whose end has passed is removed by the next claim. */
  const isInForce = (pause: Pause | undefined): boolean =>
    pause !== undefined && (pause.until === null || pause.until > clock.now());

  return {
    async refresh() {
      const changes = await store.pauseChanges();
      if (changes === known) return;
      const pauses = await store.pauses();
      lookup = createPauseLookup(pauses);
      known = changes;
      void acknowledge(pauses);
    },
    holdsHandler: (handler) => isInForce(lookup.ofHandler(handler)),
    holds: ({ handler, event }) =>
      isInForce(lookup.of({ handler, source: event.source, subject: event.subject })),
  };
}
