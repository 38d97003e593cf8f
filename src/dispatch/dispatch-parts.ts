import type { FoldMemory } from '../handle/fold/fold-memory.ts';
import type { HandlerContext } from '../handle/define/handler-context.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Random } from '../kernel/random.ts';
import type { Ambiguities } from '../store/ambiguities.ts';
import type { LaneQueue } from '../store/lane-queue.ts';
import type { MachineStates } from '../store/machine-states.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { BreakerBoard } from './breaker-board.ts';
import type { DeliveriesInHand } from './deliveries-in-hand.ts';
import type { Release } from './release-deliveries.ts';
import type { WithRetry } from './with-retry.ts';
import type { InSlot } from './slots.ts';
import type { LoopTurns } from './loop-turns.ts';
import type { SettleEvent } from './settle-event.ts';
import type { RecordSuccess } from './record-successes.ts';
import type { RunWithin } from './time-limit.ts';

/** What dispatching needs of a store. */
export type DispatchStore = LaneQueue &
  Ambiguities &
  Pick<MachineStates, 'machineState' | 'versionOrder' | 'eventBefore' | 'storedEvents' | 'hasDiedOf'>;

/** What running one delivery needs. */
export interface DispatchParts {
  readonly store: DispatchStore;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  readonly client: (() => HandlerContext['client']) | null;
  readonly board: BreakerBoard;
  readonly withRetry: WithRetry;
  readonly settle: SettleEvent;
  readonly turns: LoopTurns;
  readonly runWithin: RunWithin;
  readonly folds: FoldMemory;
  readonly inSlot: InSlot;
  /** Called when a delivery has run, before its outcome is recorded. */
  readonly finished: () => void;
  /** Told of each outcome, before it is recorded and after. */
  readonly records: Pick<DeliveriesInHand, 'recording' | 'recorded'>;
  readonly recordSuccess: RecordSuccess;
  readonly release: Release;
  /** The replay whose deliveries alone are dispatched; `undefined`: all are. */
  readonly replay?: string | undefined;
  /** Aborted when nothing new may start. */
  readonly closing: AbortSignal;
  /** Aborted when what still runs has to be handed back. */
  readonly shutdown: AbortSignal;
}
