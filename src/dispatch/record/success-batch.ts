/** Records the successes of one tick together; where a lane is locked, each by itself. It keeps ids, never events. */
import { PortariaError } from '../../kernel/errors.ts';
import type { DeliveryKey, FollowingDelivery } from '../../store/lane-queue.ts';
import type { DeliveryFields } from '../../telemetry/telemetry.ts';
import type { Following, RetriedStore } from '../retried-store.ts';

/**
 * A delivery that succeeded and has no machine state to store. It does not
 * hold the event: thousands wait for a commit, and every minor GC would copy it.
 */
export interface Success<Lane> {
  readonly fields: DeliveryFields;
  readonly key: DeliveryKey;
  readonly durationMs: number;
  readonly lane: Lane;
}

/** Successes of one handler that are recorded together. */
interface Batch<Lane> {
  /** Whether their lanes may continue at once. */
  readonly next: boolean;
  readonly successes: Success<Lane>[];
}

/**
 * Records the successes of one tick together, by handler: one operation and two
 * statements for all of them instead of one and two for each.
 *
 * @returns adds a success to the batch of this tick
 */
export function createSuccessBatch<Lane>(deps: {
  readonly store: Pick<RetriedStore, 'succeed'>;
  readonly mayContinue: (lane: Lane) => boolean;
  /** Called once for each success that was stored. */
  readonly recorded: (success: Success<Lane>, following: Following) => void;
  /** Called once for each success that could not be stored. */
  readonly failed: (success: Success<Lane>, error: unknown) => void;
}): (success: Success<Lane>) => void {
  const { store, mayContinue, recorded, failed } = deps;
  let batches = new Map<string, Batch<Lane>>();

  function flush(): void {
    const full = batches;
    batches = new Map();
    for (const batch of full.values()) void record(batch);
  }

  async function record({ next, successes }: Batch<Lane>): Promise<void> {
    const keys = successes.map(({ key }) => key);
    let followings: readonly FollowingDelivery[];
    try {
      followings = await store.succeed(keys, { next });
    } catch (error) {
      // One that is invalid, or whose lane is locked, must not fail the others: record each by itself.
      if (PortariaError.is(error, 'invalid-argument', 'lane-locked') && successes.length > 1)
        for (const success of successes) void record({ next, successes: [success] });
      else for (const success of successes) failed(success, error);
      return;
    }
    const following = new Map(followings.map(({ at, delivery }) => [at, delivery]));
    for (const [at, success] of successes.entries()) recorded(success, following.get(at) ?? null);
  }

  return (success) => {
    const { key, lane } = success;
    const next = mayContinue(lane);
    const name = `${key.handler} ${String(key.replay)} ${String(next)}`;
    const batch = batches.get(name);
    if (batch !== undefined) {
      batch.successes.push(success);
      return;
    }
    if (batches.size === 0) queueMicrotask(flush);
    batches.set(name, { next, successes: [success] });
  };
}
