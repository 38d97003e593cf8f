import type { Clock } from '../kernel/time/clock.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import type { DeliveryKey, FollowingDelivery, LaneQueue } from '../store/lane-queue.ts';
import type { DeliveryFields, Telemetry } from '../telemetry/telemetry.ts';
import type { DeliveriesInHand } from './deliveries-in-hand.ts';
import type { WithRetry } from './with-retry.ts';
import { reportUnrecorded } from './report-unrecorded.ts';
import type { Following, Turn } from './turn.ts';

/**
 * A delivery that has succeeded and leaves nothing else to store. Its event is
 * not held on to: thousands wait for a commit, and each collection would copy it.
 */
export interface Success {
  readonly fields: DeliveryFields;
  readonly held: DeliveryKey;
  readonly durationMs: number;
  readonly turn: Turn;
}

/** Makes a success durable together with those of its handler in the same turn of the loop, then reports it. */
export type RecordSuccess = (success: Success) => void;

interface Parts {
  readonly store: Pick<LaneQueue, 'succeed'>;
  readonly withRetry: WithRetry;
  readonly telemetry: Telemetry;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'error'>;
  readonly records: Pick<DeliveriesInHand, 'recording' | 'recorded'>;
  /** The replay whose deliveries alone are dispatched; `undefined`: all are. */
  readonly replay?: string | undefined;
  readonly closing: AbortSignal;
  readonly shutdown: AbortSignal;
}

interface Group {
  /** Whether their lanes may go on at once. */
  readonly next: boolean;
  readonly successes: Success[];
}

/**
 * Quick handlers succeed many at a time, one after the other: what is alike is
 * recorded together. That is one promise, one operation and two statements for
 * all, instead of ten, one and two for each.
 */
export function createRecordSuccesses(parts: Parts): RecordSuccess {
  const { store, withRetry, telemetry, clock, log, closing, shutdown, records, replay } = parts;
  const only = replay === undefined ? {} : { replay };
  let groups = new Map<string, Group>();

  function flush(): void {
    const full = groups;
    groups = new Map();
    for (const group of full.values()) void record(group);
  }

  async function record({ next, successes }: Group): Promise<void> {
    const complete = () =>
      store.succeed(
        successes.map(({ held }) => held),
        // Asked again with each attempt: it may have waited for room on the disk.
        { now: clock.now(), next: next && !closing.aborted, ...only },
      );
    let followings: readonly FollowingDelivery[];
    try {
      followings = await withRetry(complete, shutdown);
    } catch (error) {
      // One that is not held takes no others along: each hears for itself.
      if (PortariaError.is(error, 'invalid-argument') && successes.length > 1)
        for (const success of successes) void record({ next, successes: [success] });
      else
        for (const success of successes) {
          reportUnrecorded(success.fields, error, log);
          end(success, null);
        }
      return;
    }
    const following = new Map(followings.map(({ at, delivery }) => [at, delivery]));
    for (const [at, success] of successes.entries()) {
      telemetry.emit('delivery.succeeded', { ...success.fields, durationMs: success.durationMs });
      end(success, following.get(at) ?? null);
    }
  }

  function end({ turn }: Success, following: Following): void {
    records.recorded();
    turn.recorded(following);
  }

  return (success) => {
    const { held, turn } = success;
    records.recording();
    const next = turn.next();
    const key = `${held.handler} ${String(held.replay)} ${String(next)}`;
    const group = groups.get(key);
    if (group !== undefined) {
      group.successes.push(success);
      return;
    }
    if (groups.size === 0) queueMicrotask(flush);
    groups.set(key, { next, successes: [success] });
  };
}
