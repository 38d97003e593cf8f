/** Records every outcome but a plain success: state, retry, dead letter, skip. */
import type { Registry } from '../handle/load/registry.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ClaimedDelivery, DeliveryEnd, LaneQueue, MachineCommit } from '../store/lane-queue.ts';
import type { DeliveryFields, Telemetry } from '../telemetry/telemetry.ts';
import type { AnomalyReports } from './anomaly-reports.ts';
import type { Breakers } from './breakers.ts';
import { classifyFailure, retryPolicy, type Outcome } from './classify.ts';
import type { InFlight } from './in-flight.ts';
import type { Following } from './success-batch.ts';
import type { WithRetry } from './with-retry.ts';

/** Folds in one attempt, when another process keeps changing the machine's state. */
const MAX_FOLDS = 5;

/** One attempt's outcome, with the machine state to store in the same transaction. */
export interface Attempt {
  readonly outcome: Outcome;
  readonly machine?: MachineCommit | undefined;
  readonly durationMs: number;
}

/**
 * Records the outcome of one delivery: makes it durable, then reports it. A
 * machine whose state another process has changed since is folded again.
 *
 * @returns the lane's next delivery, claimed in the same transaction
 * @throws the store's error, as `withRetry` does: nothing was recorded
 */
export type RecordOutcome<Lane> = (
  delivery: ClaimedDelivery,
  ended: Attempt,
  lane: Lane,
) => Promise<Following>;

export interface RecordDeps<Lane> {
  readonly store: Pick<LaneQueue, 'complete' | 'reschedule' | 'release'>;
  readonly registry: Pick<Registry, 'runnable'>;
  readonly breakers: Pick<Breakers, 'observe'>;
  readonly inFlight: Pick<InFlight, 'recording' | 'recorded'>;
  readonly withRetry: WithRetry;
  readonly anomalies: AnomalyReports;
  readonly telemetry: Telemetry;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** Limits claims of following deliveries to this replay. */
  readonly replay: string | undefined;
  /** Aborts when running deliveries must be released. */
  readonly shutdown: AbortSignal;
  readonly mayContinue: (lane: Lane) => boolean;
  /** Folds a machine's delivery once more, in the same attempt. */
  readonly foldAgain: (delivery: ClaimedDelivery, lane: Lane) => Attempt | Promise<Attempt>;
}

export function createRecordOutcome<Lane extends { readonly probe: boolean }>(
  deps: RecordDeps<Lane>,
): RecordOutcome<Lane> {
  const { store, registry, breakers, inFlight, withRetry, anomalies, telemetry } = deps;
  const { clock, random, replay, shutdown, mayContinue, foldAgain } = deps;
  const replayFilter = replay === undefined ? {} : { replay };

  /** Counts the delivery as being recorded meanwhile. */
  async function write(delivery: ClaimedDelivery, ended: Attempt, lane: Lane): Promise<Following> {
    inFlight.recording();
    try {
      return await storeOutcome(delivery, ended, lane);
    } finally {
      inFlight.recorded();
    }
  }

  async function storeOutcome(
    delivery: ClaimedDelivery,
    { outcome, machine, durationMs }: Attempt,
    lane: Lane,
  ): Promise<Following> {
    const complete = (end: DeliveryEnd): Promise<Following> =>
      withRetry(
        () => store.complete(delivery, end, { now: clock.now(), next: mayContinue(lane), ...replayFilter }),
        shutdown,
      );
    switch (outcome.status) {
      case 'succeeded': {
        const following = await complete({ status: 'succeeded', ...(machine && { machine }) });
        telemetry.emit('delivery.succeeded', { ...deliveryFields(delivery), durationMs });
        if (machine !== undefined) anomalies.committed(delivery, machine);
        return following;
      }
      case 'skipped':
      case 'dead': {
        const { status, reason } = outcome;
        const following = await complete(
          status === 'dead' ? { status, reason, durationMs } : { status, reason },
        );
        telemetry.emit(`delivery.${status}`, { ...deliveryFields(delivery), durationMs, reason });
        return following;
      }
      case 'retry': {
        const { reason, waitMs } = outcome;
        const now = clock.now();
        const failure = { now, dueAt: now + waitMs, reason, durationMs };
        await withRetry(() => store.reschedule(delivery, failure), shutdown);
        telemetry.emit('delivery.retrying', { ...deliveryFields(delivery), durationMs, reason, waitMs });
        return null;
      }
      case 'released': {
        const { reason } = outcome;
        // Due now, behind lanes that are due for longer: successive probes try different lanes.
        await withRetry(() => store.release([delivery], { dueAt: clock.now() }), shutdown);
        telemetry.emit('delivery.released', { ...deliveryFields(delivery), reason });
        return null;
      }
    }
  }

  return async (delivery, first, lane) => {
    for (let ended = first, folds = 1; ; folds += 1) {
      try {
        return await write(delivery, ended, lane);
      } catch (error) {
        const runnable = registry.runnable(delivery.handler);
        if (runnable === undefined || ended.machine === undefined || shutdown.aborted) throw error;
        if (!PortariaError.is(error, 'machine-conflict') || folds >= MAX_FOLDS) {
          // The state cannot be stored, the outcome can: this attempt failed.
          const failure = classifyFailure(error, delivery.attempt, retryPolicy(runnable), random);
          const outcome = breakers.observe(delivery, failure, lane.probe);
          return write(delivery, { outcome, durationMs: ended.durationMs }, lane);
        }
      }
      ended = await foldAgain(delivery, lane);
    }
  };
}

/** What telemetry reports of a delivery: names and numbers, never the payload. */
export function deliveryFields(delivery: ClaimedDelivery): DeliveryFields {
  const { id, event, handler, attempt, replay } = delivery;
  return { delivery: id, event: event.id, handler, kind: event.kind, attempt, replay: replay !== null };
}
