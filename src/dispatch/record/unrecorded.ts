/** Deliveries that have run and whose outcome the store did not take. */
import type { Registry } from '../../handle/load/registry.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Random } from '../../kernel/random.ts';
import { backoffMs } from '../../kernel/time/backoff.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { DeliveryKey } from '../../store/lane-queue.ts';
import type { DeliveryFields } from '../../telemetry/telemetry.ts';
import { retryPolicy } from '../attempt/classify.ts';
import type { RetriedStore } from '../retried-store.ts';

/**
 * Runs such a delivery again, as often and as late as its handler's policy allows: the store may reject this outcome
 * for ever, and the handler must not act in a loop. Its lane waits meanwhile.
 */
export interface Unrecorded {
  /** Called when the store has rejected an outcome for good. Never throws. */
  add(delivery: DeliveryFields, key: DeliveryKey, error: unknown): void;
  /** Called when the store has taken an outcome. */
  recorded(delivery: string): void;
}

export function createUnrecorded(deps: {
  readonly store: Pick<RetriedStore, 'abandon'>;
  readonly registry: Pick<Registry, 'runnable'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly random: Random;
  readonly log: Pick<Logger, 'error'>;
  /** Aborts when the process claims nothing any more. */
  readonly closing: AbortSignal;
}): Unrecorded {
  const { store, registry, clock, random, log, closing } = deps;
  /** Unrecorded runs in this process: the store, which counts attempts, may not be able to. */
  const runs = new Map<string, number>();

  function abandonIn(waitMs: number, key: DeliveryKey): void {
    const cancel = clock.after(waitMs, () => {
      closing.removeEventListener('abort', cancel);
      store.abandon([key]);
    });
    closing.addEventListener('abort', cancel, { once: true });
  }

  return {
    add({ delivery, event, handler }, key, error) {
      const about = { delivery, event, handler, reason: failureReason(error) };
      // An earlier call was committed although its response was lost: by now the delivery may run again here.
      if (PortariaError.is(error, 'invalid-argument')) {
        runs.delete(delivery);
        log.error(about, 'the outcome was recorded before, or another process has the delivery');
        return;
      }
      const count = (runs.get(delivery) ?? 0) + 1;
      runs.set(delivery, count);
      const runnable = registry.runnable(handler);
      if (runnable === undefined || count >= retryPolicy(runnable).attempts || closing.aborted) {
        log.error(
          about,
          'the outcome was not recorded: the delivery will run again after the next start, and its lane waits for it',
        );
        return;
      }
      const waitMs = backoffMs(retryPolicy(runnable), count, random);
      log.error(
        { ...about, waitMs },
        'the outcome was not recorded: the delivery will run again after the wait',
      );
      abandonIn(waitMs, key);
    },
    recorded(delivery) {
      runs.delete(delivery);
    },
  };
}
