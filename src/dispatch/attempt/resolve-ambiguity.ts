/** Asks the provider about an ambiguous event before its first handler runs. */
import type { StoredEvent } from '../../event/stored-event.ts';
import type { Runnable } from '../../handle/load/registry.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { Random } from '../../kernel/random.ts';
import { resolutions, type Resolution } from '../../store/inbox.ts';
import type { ClaimedDelivery } from '../../store/lane-queue.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { Admission } from '../admit/admission.ts';
import type { RetriedStore } from '../retried-store.ts';
import { classifyFailure, released, retryPolicy, wantsStale, type Outcome } from './classify.ts';

/** What the provider's record says about an ambiguous event, and why when it says nothing. */
export interface Finding {
  readonly resolution: Resolution;
  readonly reason: string | null;
}

/** Resolves ambiguous events with the provider. */
export interface Confirm {
  /** Whether the provider can resolve this event. */
  asks(event: StoredEvent): boolean;
  /**
   * Finds out whether an ambiguous event is a real return to earlier content or
   * a late redelivery of content that the previous event superseded.
   *
   * @param readBefore reads the previous event; slow on a long history, so call it only when needed
   * @throws the signal's reason when it aborts, and what `readBefore` throws
   */
  find(
    event: StoredEvent,
    readBefore: () => Promise<StoredEvent | undefined>,
    signal: AbortSignal,
  ): Promise<Finding>;
}

/**
 * Returns the delivery of an ambiguous event with its resolution as a flag, if
 * the provider can be asked; or the outcome of a delivery that must not run.
 * Never rejects.
 */
export type ResolveAmbiguity = (
  delivery: ClaimedDelivery,
  runnable: Runnable,
) => Promise<ClaimedDelivery | Outcome>;

/**
 * Resolves each ambiguous event once, before its first handler runs, so that
 * all handlers see the same. Replays and effects do not ask: the resolution of
 * the event's arrival stands.
 */
export function createResolveAmbiguity(deps: {
  readonly store: Pick<RetriedStore, 'resolveAmbiguity' | 'eventBefore' | 'storedEvents'>;
  /** Null when the provider cannot be asked: ambiguous events are then delivered as they are. */
  readonly confirm: Confirm | null;
  readonly admission: Pick<Admission, 'rejects'>;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly shutdown: AbortSignal;
}): ResolveAmbiguity {
  const { store, confirm, admission, random, telemetry, shutdown } = deps;
  /** By event id: the event's deliveries are in several lanes and share one request. */
  const pending = new Map<string, Promise<Resolution>>();

  async function readBefore({ id, source, subject }: StoredEvent): Promise<StoredEvent | undefined> {
    const last = await store.eventBefore(source, subject, id);
    if (last === null) return undefined;
    const [before] = await store.storedEvents([last]);
    return before;
  }

  async function ask(event: StoredEvent, confirm: Confirm): Promise<Resolution> {
    const found = await confirm.find(event, () => readBefore(event), shutdown);
    const { id, kind, repeats } = event;
    const resolution = await store.resolveAmbiguity(id, found.resolution, repeats);
    telemetry.emit('event.resolved', { event: id, kind, resolution, reason: found.reason });
    return resolution;
  }

  async function resolve(delivery: ClaimedDelivery): Promise<ClaimedDelivery> {
    const { event, replay, effect } = delivery;
    if (confirm === null || replay !== null || effect !== null) return delivery;
    if (resolutions.some((flag) => event.flags.includes(flag)) || !confirm.asks(event)) return delivery;
    let resolution = pending.get(event.id);
    if (resolution === undefined) {
      resolution = ask(event, confirm).finally(() => pending.delete(event.id));
      pending.set(event.id, resolution);
    }
    return { ...delivery, event: { ...event, flags: [...event.flags, await resolution] } };
  }

  return async (delivery, runnable) => {
    try {
      const resolved = await resolve(delivery);
      if (resolved.event.flags.includes('superseded') && !wantsStale(runnable)) {
        const reason = "superseded: the provider's record has the content that came before";
        return { status: 'skipped', health: 'unknown', reason };
      }
      // The provider took its time, and an operator may have paused the lane meanwhile.
      const rejected = admission.rejects(delivery);
      return rejected === undefined ? resolved : released(rejected);
    } catch (error) {
      // A failing store or a shutdown must not cost an attempt.
      if (shutdown.aborted) return released('stopping');
      if (PortariaError.is(error) && error.code.startsWith('store-')) return released(error.message);
      return classifyFailure(error, delivery.attempt, retryPolicy(runnable), random);
    }
  };
}
