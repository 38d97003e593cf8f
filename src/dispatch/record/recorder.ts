/** Records how an attempt ended: stores the outcome, reports it, and passes on the lane's next delivery. */
import type { Registry } from '../../handle/load/registry.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { Random } from '../../kernel/random.ts';
import type { ClaimedDelivery, DeliveryKey, MachineCommit } from '../../store/lane-queue.ts';
import type { DeliveryFields, Telemetry } from '../../telemetry/telemetry.ts';
import type { Breakers } from '../admit/breakers.ts';
import { classifyFailure, holdsLane, retryPolicy, type Outcome } from '../attempt/classify.ts';
import type { InFlight } from '../claim/in-flight.ts';
import type { Following, RetriedStore } from '../retried-store.ts';
import type { AnomalyReports } from './anomaly-reports.ts';
import { createSuccessBatch } from './success-batch.ts';
import type { Unrecorded } from './unrecorded.ts';

/** Folds of one delivery in a row, while another process keeps changing the machine's state. */
const MAX_FOLDS = 5;

/** How one attempt ended, with the machine state to store in the same transaction. */
export interface Attempt {
  readonly outcome: Outcome;
  readonly machine?: MachineCommit | undefined;
  readonly durationMs: number;
}

/** The run of a lane in this process. It holds no delivery: thousands wait for a commit. */
export interface LaneRun {
  readonly handler: string;
  /** Whether the current delivery probes a handler. */
  probe: boolean;
  /** Deliveries of the lane in a row. */
  inARow: number;
  /** Folds of the current delivery: one more after each conflict over the machine's state. */
  folds: number;
}

/** How lanes go on once an outcome is recorded. */
export interface Lanes {
  /** Whether the lane's next delivery may be claimed with the outcome. */
  readonly mayContinue: (lane: LaneRun) => boolean;
  /** Called once for each outcome, stored or not, with what is claimed next. */
  readonly continueLane: (lane: LaneRun, following: Following) => void;
  /** Folds a machine's delivery once more, and records it again. */
  readonly foldAgain: (delivery: ClaimedDelivery, lane: LaneRun) => void;
}

export interface Recorder {
  /** Records the outcome of an attempt, then continues the lane. Never throws. */
  record(delivery: ClaimedDelivery, attempt: Attempt, lane: LaneRun): void;
  /** Ends a delivery whose outcome is unknown. Never throws. */
  fail(delivery: ClaimedDelivery, error: unknown, lane: LaneRun): void;
}

/** Successes of one tick share a batch, because they store no more than their end. Other outcomes are recorded alone. */
export function createRecorder(
  deps: {
    readonly store: Pick<RetriedStore, 'complete' | 'succeed' | 'reschedule' | 'release'>;
    readonly registry: Pick<Registry, 'runnable'>;
    readonly breakers: Pick<Breakers, 'observe'>;
    readonly inFlight: Pick<InFlight, 'recording' | 'recorded'>;
    readonly anomalies: AnomalyReports;
    readonly telemetry: Telemetry;
    readonly unrecorded: Unrecorded;
    readonly random: Random;
    /** Aborts when running deliveries must be released. */
    readonly shutdown: AbortSignal;
  },
  { mayContinue, continueLane, foldAgain }: Lanes,
): Recorder {
  const { store, registry, breakers, inFlight, anomalies, telemetry, unrecorded, random, shutdown } = deps;

  const recordSuccess = createSuccessBatch<LaneRun>({
    store,
    mayContinue,
    recorded: ({ fields, durationMs, lane }, following) => {
      inFlight.recorded();
      unrecorded.recorded(fields.delivery);
      telemetry.emit('delivery.succeeded', { ...fields, durationMs });
      continueLane(lane, following);
    },
    failed: ({ fields, key, lane }, error) => {
      inFlight.recorded();
      endUnrecorded(fields, key, lane, error);
    },
  });

  function record(delivery: ClaimedDelivery, attempt: Attempt, lane: LaneRun): void {
    inFlight.recording();
    const { outcome, machine, durationMs } = attempt;
    if (outcome.status === 'succeeded' && machine === undefined) {
      const { id, lane: laneId, holder, start, handler, replay } = delivery;
      const key = { id, lane: laneId, holder, start, handler, replay };
      recordSuccess({ fields: deliveryFields(delivery), key, durationMs, lane });
      return;
    }
    recordAlone(delivery, attempt, lane).then(
      (following) => {
        inFlight.recorded();
        unrecorded.recorded(delivery.id);
        continueLane(lane, following);
      },
      (error: unknown) => {
        inFlight.recorded();
        recover(delivery, attempt, lane, error);
      },
    );
  }

  async function recordAlone(
    delivery: ClaimedDelivery,
    { outcome, machine, durationMs }: Attempt,
    lane: LaneRun,
  ): Promise<Following> {
    const fields = deliveryFields(delivery);
    const next = mayContinue(lane);
    switch (outcome.status) {
      case 'succeeded': {
        const following = await store.complete(
          delivery,
          { status: 'succeeded', ...(machine && { machine }) },
          { next },
        );
        telemetry.emit('delivery.succeeded', { ...fields, durationMs });
        if (machine !== undefined) anomalies.committed(delivery, machine);
        return following;
      }
      case 'skipped':
      case 'dead': {
        const { status, reason } = outcome;
        const hold = holdsLane(registry.runnable(delivery.handler));
        const end = status === 'dead' ? { status, reason, durationMs, hold } : { status, reason };
        const following = await store.complete(delivery, end, { next });
        telemetry.emit(`delivery.${status}`, { ...fields, durationMs, reason, hold });
        return following;
      }
      case 'retry': {
        const { reason, waitMs } = outcome;
        await store.reschedule(delivery, { waitMs, reason, durationMs });
        telemetry.emit('delivery.retrying', { ...fields, durationMs, reason, waitMs });
        return null;
      }
      case 'released': {
        const { reason, dueAt } = outcome;
        if (dueAt !== undefined) {
          await store.release([delivery], { dueAt });
          telemetry.emit('rate.deferred', { handler: fields.handler });
          return null;
        }
        // Due now, behind lanes that are due for longer: successive probes try different lanes.
        await store.release([delivery], { waitMs: 0 });
        telemetry.emit('delivery.released', { ...fields, reason });
        return null;
      }
    }
  }

  /** Only a machine's state may be what the store rejects: without it, the outcome can still be recorded. */
  function recover(delivery: ClaimedDelivery, attempt: Attempt, lane: LaneRun, error: unknown): void {
    const runnable = registry.runnable(delivery.handler);
    if (runnable === undefined || attempt.machine === undefined || shutdown.aborted) {
      endUnrecorded(deliveryFields(delivery), delivery, lane, error);
      return;
    }
    if (PortariaError.is(error, 'machine-conflict') && lane.folds < MAX_FOLDS) {
      lane.folds += 1;
      foldAgain(delivery, lane);
      return;
    }
    const failure = classifyFailure(error, delivery.attempt, retryPolicy(runnable), random);
    const outcome = breakers.observe(delivery, failure, lane.probe);
    record(delivery, { outcome, durationMs: attempt.durationMs }, lane);
  }

  function endUnrecorded(fields: DeliveryFields, key: DeliveryKey, lane: LaneRun, error: unknown): void {
    unrecorded.add(fields, key, error);
    continueLane(lane, null);
  }

  return {
    record,
    fail(delivery, error, lane) {
      endUnrecorded(deliveryFields(delivery), delivery, lane, error);
    },
  };
}

/** What telemetry reports of a delivery: names and numbers, never the payload. */
export function deliveryFields(delivery: ClaimedDelivery): DeliveryFields {
  const { id, event, handler, attempt, replay } = delivery;
  return { delivery: id, event: event.id, handler, kind: event.kind, attempt, replay: replay !== null };
}
