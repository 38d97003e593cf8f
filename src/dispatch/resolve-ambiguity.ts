/** Resolves ambiguous events before they are delivered. */
import type { StoredEvent } from '../event/stored-event.ts';
import { resolutions, type Ambiguities, type Resolution } from '../store/ambiguities.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { MachineStates } from '../store/machine-states.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { WithRetry } from './with-retry.ts';

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
 * Returns the event of a delivery, with its resolution as a flag when it is
 * ambiguous and the provider can be asked.
 *
 * @throws the store's error, as `withRetry` does
 */
export type ResolveAmbiguity = (delivery: ClaimedDelivery) => Promise<StoredEvent>;

/**
 * Resolves each ambiguous event once, before its first handler runs, so that
 * all handlers see the same. Replays and effects do not ask: the resolution of
 * the event's arrival stands.
 */
export function createResolveAmbiguity(deps: {
  readonly store: Ambiguities & Pick<MachineStates, 'eventBefore' | 'storedEvents'>;
  /** Null when the provider cannot be asked: ambiguous events are then delivered as they are. */
  readonly confirm: Confirm | null;
  readonly withRetry: WithRetry;
  readonly telemetry: Telemetry;
  readonly shutdown: AbortSignal;
}): ResolveAmbiguity {
  const { store, confirm, withRetry, telemetry, shutdown } = deps;
  /** By event id: the event's deliveries are in several lanes and share one request. */
  const pending = new Map<string, Promise<Resolution>>();

  async function readBefore({ id, source, subject }: StoredEvent): Promise<StoredEvent | undefined> {
    const last = await withRetry(() => store.eventBefore(source, subject, id), shutdown);
    if (last === null) return undefined;
    const [before] = await withRetry(() => store.storedEvents([last]), shutdown);
    return before;
  }

  async function resolve(event: StoredEvent, confirm: Confirm): Promise<Resolution> {
    const found = await confirm.find(event, () => readBefore(event), shutdown);
    const { id, kind, repeats } = event;
    const resolution = await withRetry(() => store.resolveAmbiguity(id, found.resolution, repeats), shutdown);
    telemetry.emit('event.resolved', { event: id, kind, resolution, reason: found.reason });
    return resolution;
  }

  return async ({ event, replay, effect }) => {
    if (confirm === null || replay !== null || effect !== null) return event;
    if (resolutions.some((flag) => event.flags.includes(flag)) || !confirm.asks(event)) return event;
    let resolution = pending.get(event.id);
    if (resolution === undefined) {
      resolution = resolve(event, confirm).finally(() => pending.delete(event.id));
      pending.set(event.id, resolution);
    }
    return { ...event, flags: [...event.flags, await resolution] };
  };
}
