import { subjectName } from '../event/subject.ts';
import type { Registry, Runnable } from '../handle/load/registry.ts';
import type { BreakerPolicy } from '../handle/define/policies.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import {
  admission,
  afterFailure,
  afterNothingLearnt,
  afterSuccess,
  closedBreaker,
  startProbe,
  type BreakerState,
} from './circuit-breaker.ts';
import type { Judgement } from './judge-outcome.ts';

/** A handler that gets no deliveries for now. */
export interface PausedHandler {
  readonly handler: string;
  /** Milliseconds since 1970 from when one delivery probes it; not after now when a probe is due or running. */
  readonly untilMs: number;
  readonly reason: string;
}

/** The circuit breakers of all delivery handlers: machines and their effects have one each. */
export interface BreakerBoard {
  /** Handlers that get whatever is due. */
  admitted(): readonly string[];
  /** Handlers whose pause is over: one delivery of each may try. */
  toProbe(): readonly string[];
  /** Whether the handler gets whatever is due. */
  admits(handler: string): boolean;
  startProbe(handler: string): void;
  /**
   * Notes how a delivery fared. A failure while its handler is paused or
   * probed becomes a hand-back: the handler is to blame, so no try is burnt.
   */
  note(delivery: ClaimedDelivery, judgement: Judgement, probe: boolean): Judgement;
  /** Milliseconds until the next pause is over; null when none has yet to end. */
  nextProbeInMs(): number | null;
  paused(): readonly PausedHandler[];
}

export function createBreakerBoard(options: {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}): BreakerBoard {
  const { registry, clock, telemetry } = options;
  const names = registry.deliveryNames;
  const states = new Map<string, BreakerState>();
  const stateOf = (handler: string): BreakerState => states.get(handler) ?? closedBreaker;
  const admissionOf = (handler: string) => admission(stateOf(handler), clock.monotonic());

  function move(handler: string, next: BreakerState): void {
    const before = stateOf(handler);
    if (next === before) return;
    states.set(handler, next);
    if (next.phase === 'open' && next.until > clock.monotonic()) {
      telemetry.emit('breaker.opened', { handler, pauseMs: next.pauseMs, reason: next.reason });
    }
    if (next.phase === 'probing') telemetry.emit('breaker.probing', { handler });
    if (next.phase === 'closed' && before.phase !== 'closed') telemetry.emit('breaker.closed', { handler });
  }

  return {
    admitted: () => names.filter((handler) => admissionOf(handler) === 'any'),
    toProbe: () => names.filter((handler) => admissionOf(handler) === 'probe'),
    admits: (handler) => admissionOf(handler) === 'any',
    startProbe(handler) {
      move(handler, startProbe(stateOf(handler), clock.monotonic()));
    },
    note(delivery, judgement, probe) {
      const { handler, event } = delivery;
      const state = stateOf(handler);
      const now = clock.monotonic();
      if (judgement.health === 'well') move(handler, afterSuccess(state, probe));
      if (judgement.health === 'unknown') {
        const tried = judgement.verdict !== 'released';
        move(handler, afterNothingLearnt(state, { probe, tried }, now));
      }
      if (judgement.health !== 'failed') return judgement;
      const subject = `${event.source} ${subjectName(event.subject)}`;
      const policy = breakerPolicy(registry.runnable(handler));
      move(handler, afterFailure(state, { subject, reason: judgement.reason, probe }, policy, now));
      // The failure that opens the breaker still counts: the handler was believed to be well.
      if (state.phase === 'closed') return judgement;
      return { verdict: 'released', health: 'failed', reason: `handler is paused: ${judgement.reason}` };
    },
    nextProbeInMs() {
      const now = clock.monotonic();
      const pauses = [...states.values()]
        .map((state) => (state.phase === 'open' ? state.until - now : 0))
        .filter((ms) => ms > 0);
      return pauses.length === 0 ? null : Math.min(...pauses);
    },
    paused() {
      return [...states].flatMap(([handler, state]) => {
        if (state.phase === 'closed') return [];
        const waitMs = state.phase === 'open' ? Math.max(0, state.until - clock.monotonic()) : 0;
        return [{ handler, untilMs: Math.ceil(clock.now() + waitMs), reason: state.reason }];
      });
    },
  };
}

/** A name that stands for nothing any more never trips. */
function breakerPolicy(runnable: Runnable | undefined): BreakerPolicy {
  if (runnable === undefined) return { failures: Infinity, subjects: Infinity };
  return runnable.type === 'handler' ? runnable.handler.breaker : runnable.machine.breaker;
}
