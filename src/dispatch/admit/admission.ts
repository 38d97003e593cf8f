/** Whether a claimed delivery may start: operators' pauses, its handler's breaker, its claim, and earlier crashes. */
import type { Registry, Runnable } from '../../handle/load/registry.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { ClaimedDelivery } from '../../store/lane-queue.ts';
import { createPauseLookup, type Pause, type PauseLookup } from '../../store/pauses.ts';
import { classifyCrashes, released, retryPolicy, type Outcome } from '../attempt/classify.ts';
import type { RetriedStore } from '../retried-store.ts';
import type { Breakers } from './breakers.ts';

const PAUSED = 'its handler, source or lane is paused';

/**
 * The store claims nothing that is paused or of a handler with an open breaker. Admission rejects what was
 * claimed before that and has not begun.
 */
export interface Admission {
  /**
   * Reads the operators' pauses again if any process has changed them, and then acknowledges them: from here on,
   * no delivery in their scope starts.
   */
  refreshPauses(): Promise<void>;
  /** Returns why no delivery to this handler may start; `undefined` when one may. */
  rejectsHandler(handler: string): string | undefined;
  /** Returns why this delivery may not start: it is paused, or may be another process's. `undefined` when it may. */
  rejects(delivery: ClaimedDelivery): string | undefined;
  /** Returns what runs the delivery, or its outcome when it must not run. A probe passes an open breaker. */
  admit(delivery: ClaimedDelivery, probe: boolean): Runnable | Outcome;
}

export function createAdmission(deps: {
  readonly store: Pick<RetriedStore, 'mayStart' | 'pauses' | 'pauseChanges' | 'acknowledgePauses'>;
  readonly registry: Pick<Registry, 'runnable'>;
  readonly breakers: Pick<Breakers, 'admits'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'error'>;
  /** Aborts when no delivery may start any more. */
  readonly closing: AbortSignal;
}): Admission {
  const { store, registry, breakers, clock, log, closing } = deps;
  let knownChanges: number | null = null;
  let pauses: PauseLookup = createPauseLookup([]);

  async function acknowledge(unacknowledged: readonly Pause[]): Promise<void> {
    if (unacknowledged.length === 0) return;
    try {
      await store.acknowledgePauses(
        unacknowledged.map(({ id }) => id),
        clock.now(),
      );
    } catch (error) {
      log.error({ reason: failureReason(error) }, 'pauses are in force, and that could not be recorded');
      // The next poll reads and acknowledges them again.
      knownChanges = null;
    }
  }

  /** A pause whose end has passed is removed by the next claim. */
  const isInForce = (pause: Pause | undefined): boolean =>
    pause !== undefined && (pause.until === null || pause.until > clock.now());

  function reasonNotToStart(handler: string, probe: boolean): string | undefined {
    if (closing.aborted) return 'stopping';
    return probe || breakers.admits(handler) ? undefined : 'the breaker of the handler is open';
  }

  function rejects(delivery: ClaimedDelivery): string | undefined {
    if (!store.mayStart(delivery)) return 'another process may have taken it over';
    const { handler, event } = delivery;
    const pause = pauses.of({ handler, source: event.source, subject: event.subject });
    return isInForce(pause) ? PAUSED : undefined;
  }

  return {
    async refreshPauses() {
      const changes = await store.pauseChanges();
      if (changes === knownChanges) return;
      const found = await store.pauses();
      pauses = createPauseLookup(found);
      knownChanges = changes;
      void acknowledge(found.filter(({ acknowledgedAt }) => acknowledgedAt === null));
    },
    rejectsHandler: (handler) =>
      isInForce(pauses.ofHandler(handler)) ? PAUSED : reasonNotToStart(handler, false),
    rejects,
    admit(delivery, probe) {
      const runnable = registry.runnable(delivery.handler);
      // Claims name registered handlers only, so it stays pending until one is registered.
      if (runnable === undefined) return released('no handler of this name is registered');
      const reason = rejects(delivery) ?? reasonNotToStart(delivery.handler, probe);
      if (reason !== undefined) return released(reason);
      return classifyCrashes(delivery.attempt, retryPolicy(runnable)) ?? runnable;
    },
  };
}
