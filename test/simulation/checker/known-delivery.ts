/** What is known of a delivery, of a pause and of the processes. */
import type { DeliveryStatus } from '../../../src/store/queries.ts';
import { policies } from '../actors/handlers.ts';
import { EFFECTS, MACHINE } from '../actors/names.ts';
import { KEEP_MS } from '../world/settings.ts';
import type { Call } from './calls.ts';
import type { KnownEvent } from './identity.ts';
import type { DeliveryRow } from './rows.ts';
import { violated } from './violation.ts';

export const ended: ReadonlySet<DeliveryStatus> = new Set(['succeeded', 'skipped', 'dead']);

export interface KnownDelivery {
  readonly handler: string;
  readonly event: KnownEvent;
  readonly replay: boolean;
  /** Null where nothing waits for another. */
  readonly lane: string | null;
  id: string | null;
  /** Where it may be by now. */
  allowed: Set<DeliveryStatus>;
  /** What operators may do with it at any time: by a command, or by the job of a plan. */
  permits: Set<string>;
  /** How often it began to run, or was given up. */
  lives: number;
  lastAttempt: number;
  lastCall: Call | null;
  /** Deaths of processes that may have counted an attempt each. */
  deaths: number;
  /** Whether its lane waits behind it. */
  holds: boolean;
  /** Whether an operator has let its lane go on behind it. */
  isLetGo: boolean;
  /** Whether it was seen at its end. */
  isEnded: boolean;
  /** Whether it was a dead letter, as was seen, or as what an operator may have retried. */
  wasDead: 'no' | 'perhaps' | 'yes';
  /** When it was last seen waiting, by the monotonic clock. */
  waitedAt: number;
  /** When it became a dead letter, or else its last call ended, by the wall clock, which retention goes by. */
  endedAt: number;
}

export interface KnownPause {
  readonly id: string;
  readonly handler: string | null;
  readonly source: string | null;
  readonly subject: string | null;
  readonly until: number | null;
  /** Milliseconds until then, when it was placed. */
  readonly ms: number | null;
  /** When it was acknowledged, by the monotonic clock. */
  readonly since: number;
}

/** What the world knows of the processes. */
export interface ProcessState {
  readonly seed: number;
  /** How often nothing was left to do without a timer. */
  readonly rests: () => number;
  /** The latest time that the wall clock has shown. */
  readonly highest: () => number;
  readonly now: () => number;
  /** How often the wall clock has jumped. */
  readonly jumps: () => number;
  readonly monotonic: () => number;
  readonly isStopping: (process: number) => boolean;
  /** Whether others may run what a call's process has begun: it has died, or its lease has ended since. */
  readonly isLost: (call: Call) => boolean;
  /** Whether the handler's breaker is closed. */
  readonly isClosed: (handler: string) => boolean;
}

export function didEndWell({ how }: Call): boolean {
  return how === 'return' || how === 'discard' || how === 'stopped';
}

/** Whether the end of a call counted as an attempt, and another one follows. */
export function didCount({ how, endedAt }: Call): boolean {
  return endedAt !== null && (how === 'throw' || how === 'later');
}

/** Of deliveries that were stored together, the rows tell the order of their lane. */
export function isBefore(one: KnownDelivery, other: KnownDelivery): boolean {
  if (one.id === null || other.id === null) return one.event.number < other.event.number;
  return Number(one.id.slice(1)) < Number(other.id.slice(1));
}

export function isOnly(allowed: ReadonlySet<DeliveryStatus>, status: DeliveryStatus): boolean {
  return allowed.size === 1 && allowed.has(status);
}

/** Whether an operator may do it, by a command or by a job. */
function may({ permits }: KnownDelivery, action: string): boolean {
  return permits.has(action) || permits.has(`job: ${action}`);
}

/** Whether a row may be as it is. @param highest the latest time that the wall clock has shown */
export function mayBe(delivery: KnownDelivery, { status, attempts }: DeliveryRow, highest: number): boolean {
  const { allowed, handler, lastCall } = delivery;
  const isFold = handler === MACHINE;
  const isTooOften = status === 'dead' && attempts > policyOf(handler).attempts;
  const wasPruned = status === 'skipped' && allowed.has('dead') && highest - delivery.endedAt >= KEEP_MS;
  return (
    allowed.has(status) ||
    (status === 'running' && !isEnded(allowed)) ||
    (status === 'running' && !delivery.isEnded) ||
    (isFold && status === 'succeeded' && (!isOnly(allowed, 'dead') || may(delivery, 'retry'))) ||
    (lastCall?.endedAt === null && status !== 'succeeded' && status !== 'skipped') ||
    (may(delivery, 'retry') && (status === 'pending' || status === 'running')) ||
    (may(delivery, 'discard') && status === 'skipped') ||
    (status === 'skipped' && isSuperseded(delivery)) ||
    isTooOften ||
    wasPruned
  );
}

/** Whether a pause keeps the deliveries of an event to a handler. */
export function covers(
  pause: KnownPause,
  { handler, event }: Pick<KnownDelivery, 'handler' | 'event'>,
  process: Pick<ProcessState, 'highest' | 'monotonic'>,
): boolean {
  // A clock that was set back does not bring it back; where it is not asked, the pause ends after so long.
  if (pause.until !== null && pause.until <= process.highest()) return false;
  if (pause.ms !== null && process.monotonic() - pause.since >= pause.ms) return false;
  const isOfHandler =
    pause.handler === null || pause.handler === handler || `${pause.handler}/effects` === handler;
  const isOfSource = pause.source === null || pause.source === event.sent.sending.source;
  const isOfSubject = pause.subject === null || pause.subject === nameOf(event);
  return isOfHandler && isOfSource && isOfSubject;
}

function isEnded(allowed: ReadonlySet<DeliveryStatus>): boolean {
  return [...allowed].every((status) => ended.has(status));
}

export function policyOf(handler: string): (typeof policies)[keyof typeof policies] {
  return policies[handler as keyof typeof policies];
}

export function keyOf(event: KnownEvent, handler: string, effect: string): string {
  return `${String(event.number)} ${handler} ${effect}`;
}

export function laneOf(handler: string, event: KnownEvent): string | null {
  const { order } = policyOf(handler);
  if (order === 'none') return null;
  return order === 'handler' ? handler : `${handler} ${event.sent.sending.source} ${nameOf(event)}`;
}

/** The subject's name, `family:id`. */
export function nameOf({ sent }: KnownEvent): string {
  return sent.subject.slice(sent.subject.indexOf(' ') + 1);
}

/** An event that can be resolved is, before anybody has it. */
export function requireResolved(delivery: KnownDelivery, name: string): void {
  const { event, handler, replay } = delivery;
  if (event.resolution === 'open' && !replay && handler !== EFFECTS)
    throw violated('resolved', `${name} runs, and nobody has asked`);
  // A replay does not ask, and may have been claimed before the provider has answered.
  if (isSuperseded(delivery) && !replay)
    throw violated('resolved', `${name} runs, and its event is superseded`);
}

/** Whether the handler does not get it, because its event was a late redelivery. */
export function isSuperseded({ handler, event }: KnownDelivery): boolean {
  return event.resolution === 'superseded' && (handler === MACHINE || !policyOf(handler).stale);
}
