/** The circuit breakers of all handlers. */
import { subjectName } from '../../event/subject.ts';
import type { BreakerPolicy } from '../../handle/define/policies.ts';
import type { Registry, Runnable } from '../../handle/load/registry.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { ClaimedDelivery } from '../../store/lane-queue.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import {
  admission,
  afterFailure,
  afterInconclusive,
  afterSuccess,
  closedBreaker,
  probeFrom,
  startProbe,
  type BreakerState,
  type ProbeChoice,
} from './circuit-breaker.ts';
import type { Outcome } from '../attempt/classify.ts';

/** A circuit breaker that is not closed: it is open, or a probe is due or running. */
export interface OpenBreaker {
  readonly handler: string;
  /** Milliseconds since 1970 when a probe may start; now or earlier while one is due or running. */
  readonly untilMs: number;
  readonly reason: string;
}

/** The circuit breakers of all delivery names: each handler, fold and machine's effects has its own. */
export interface Breakers {
  /** Handlers whose breaker is closed. */
  admitted(): readonly string[];
  /** Handlers whose breaker has been open long enough: one delivery of each may probe. */
  toProbe(): readonly (ProbeChoice & { readonly handler: string })[];
  /** Whether the handler's breaker is closed. */
  admits(handler: string): boolean;
  startProbe(handler: string): void;
  /**
   * Updates the handler's breaker and returns the outcome to record. A failure
   * or give-up while the breaker is open or probing becomes `released`: the
   * cause is the handler, so it does not cost the delivery an attempt.
   */
  observe(delivery: ClaimedDelivery, outcome: Outcome, probe: boolean): Outcome;
  /** Milliseconds until the next breaker lets a probe pass; null when none is open. */
  nextProbeInMs(): number | null;
  open(): readonly OpenBreaker[];
}

export function createBreakers(deps: {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}): Breakers {
  const { registry, clock, telemetry } = deps;
  const names = registry.deliveryNames;
  const states = new Map<string, BreakerState>();
  const stateOf = (handler: string): BreakerState => states.get(handler) ?? closedBreaker;
  const admissionOf = (handler: string) => admission(stateOf(handler), clock.monotonic());

  function move(handler: string, next: BreakerState): void {
    const before = stateOf(handler);
    if (next === before) return;
    states.set(handler, next);
    if (next.phase === 'open' && next.until > clock.monotonic()) {
      telemetry.emit('breaker.opened', { handler, openMs: next.openMs, reason: next.reason });
    }
    if (next.phase === 'probing') telemetry.emit('breaker.probing', { handler });
    if (next.phase === 'closed' && before.phase !== 'closed') telemetry.emit('breaker.closed', { handler });
  }

  return {
    admitted: () => names.filter((handler) => admissionOf(handler) === 'any'),
    toProbe: () =>
      names
        .filter((handler) => admissionOf(handler) === 'probe')
        .map((handler) => ({ handler, ...probeFrom(stateOf(handler)) })),
    admits: (handler) => admissionOf(handler) === 'any',
    startProbe(handler) {
      move(handler, startProbe(stateOf(handler), clock.monotonic()));
    },
    observe(delivery, outcome, probe) {
      const { handler, event } = delivery;
      const state = stateOf(handler);
      const now = clock.monotonic();
      if (outcome.health === 'healthy') move(handler, afterSuccess(state, probe));
      if (outcome.health === 'unknown') {
        // What is skipped with an unknown health has a superseded event, which the handler never sees.
        const ran = outcome.status !== 'released' && outcome.status !== 'skipped';
        move(handler, afterInconclusive(state, { probe, ran }, now));
      }
      if (outcome.health === 'healthy' || outcome.health === 'unknown') return outcome;
      const { source } = event;
      const subject = `${source} ${subjectName(event.subject)}`;
      const policy = breakerPolicy(registry.runnable(handler));
      const { reason } = outcome;
      const gaveUp = outcome.health === 'gave-up';
      move(handler, afterFailure(state, { source, subject, reason, gaveUp, probe }, policy, now));
      // The failure that opens the breaker still counts: the breaker was closed when it began.
      if (state.phase === 'closed') return outcome;
      return {
        status: 'released',
        health: 'failed',
        reason: `the breaker of the handler is open: ${reason}`,
      };
    },
    nextProbeInMs() {
      const now = clock.monotonic();
      const waits = [...states.values()]
        .map((state) => (state.phase === 'open' ? state.until - now : 0))
        .filter((ms) => ms > 0);
      return waits.length === 0 ? null : Math.min(...waits);
    },
    open() {
      return [...states].flatMap(([handler, state]) => {
        if (state.phase === 'closed') return [];
        const waitMs = state.phase === 'open' ? Math.max(0, state.until - clock.monotonic()) : 0;
        return [{ handler, untilMs: Math.ceil(clock.now() + waitMs), reason: state.reason }];
      });
    },
  };
}

/** The breaker of a name that is no longer registered never opens. */
function breakerPolicy(runnable: Runnable | undefined): BreakerPolicy {
  if (runnable === undefined) return { failures: Infinity, subjects: Infinity, giveUps: Infinity };
  return runnable.type === 'handler' ? runnable.handler.breaker : runnable.machine.breaker;
}
