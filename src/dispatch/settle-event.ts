import type { StoredEvent } from '../event/stored-event.ts';
import { resolutions, type Ambiguities, type Resolution } from '../store/ambiguities.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { MachineStates } from '../store/machine-states.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { WithRetry } from './with-retry.ts';

/** What the provider's record tells of an ambiguous event, and why when it tells nothing. */
export interface Finding {
  readonly resolution: Resolution;
  readonly reason: string | null;
}

export interface Confirm {
  /** Whether it can be asked about such an event at all. */
  asks(event: StoredEvent): boolean;
  /**
   * Finds out whether an ambiguous event is a real return to its content, or a
   * late redelivery of what the event before it has superseded.
   *
   * @param readBefore reads that event; a long history makes it slow, so it is not called in vain
   * @throws the signal's reason when that aborts, and what `readBefore` throws
   */
  find(
    event: StoredEvent,
    readBefore: () => Promise<StoredEvent | undefined>,
    signal: AbortSignal,
  ): Promise<Finding>;
}

/** The ambiguous event of a delivery, settled where it can be. @throws what the store threw, as `withRetry` */
export type SettleEvent = (delivery: ClaimedDelivery) => Promise<StoredEvent>;

interface Parts {
  readonly store: Ambiguities & Pick<MachineStates, 'eventBefore' | 'storedEvents'>;
  /** Null when nobody can be asked: ambiguous events are then applied and stay as they are. */
  readonly confirm: Confirm | null;
  readonly withRetry: WithRetry;
  readonly telemetry: Telemetry;
  readonly shutdown: AbortSignal;
}

/**
 * Settles each ambiguous event before the first of its handlers sees it, so
 * that all see the same. Neither a replay nor an effect asks: what was found
 * when the event arrived stands.
 */
export function createSettleEvent({ store, confirm, withRetry, telemetry, shutdown }: Parts): SettleEvent {
  /** Its deliveries are of many lanes, and ask together. */
  const asking = new Map<string, Promise<Resolution>>();

  async function readBefore({ id, source, subject }: StoredEvent): Promise<StoredEvent | undefined> {
    const last = await withRetry(() => store.eventBefore(source, subject, id), shutdown);
    if (last === null) return undefined;
    const [before] = await withRetry(() => store.storedEvents([last]), shutdown);
    return before;
  }

  async function settle(event: StoredEvent, confirm: Confirm): Promise<Resolution> {
    const found = await confirm.find(event, () => readBefore(event), shutdown);
    const { id, kind, repeats } = event;
    const resolution = await withRetry(() => store.resolveAmbiguity(id, found.resolution, repeats), shutdown);
    telemetry.emit('event.resolved', { event: id, kind, resolution, reason: found.reason });
    return resolution;
  }

  return async ({ event, replay, effect }) => {
    if (confirm === null || replay !== null || effect !== null) return event;
    if (resolutions.some((flag) => event.flags.includes(flag)) || !confirm.asks(event)) return event;
    let resolution = asking.get(event.id);
    if (resolution === undefined) {
      resolution = settle(event, confirm).finally(() => asking.delete(event.id));
      asking.set(event.id, resolution);
    }
    return { ...event, flags: [...event.flags, await resolution] };
  };
}
