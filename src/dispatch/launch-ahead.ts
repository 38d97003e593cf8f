import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { ClaimedAhead, ClaimedDelivery } from '../store/lane-queue.ts';
import type { DeliveriesInHand } from './deliveries-in-hand.ts';
import type { LoopTurns } from './loop-turns.ts';
import type { Slots } from './slots.ts';

/** Deliveries whose events are read at a time, unless these are large: a fraction of a millisecond. */
const READ_AT_ONCE = 64;

/** Runs what was claimed ahead when its turn comes. */
export interface LaunchAhead {
  /** As slots allow, in order, and in a later turn of the loop when there is no more time in one. */
  readonly launch: (ahead: ClaimedAhead) => void;
  /** How many wait for their events to be read. */
  readonly waiting: () => number;
}

interface Parts {
  readonly turns: Pick<LoopTurns, 'inLaterTurn' | 'isDue'>;
  readonly log: Pick<Logger, 'error'>;
  /** Runs a lane from this delivery on, and releases it in the end. */
  readonly run: (delivery: ClaimedDelivery) => void;
}

export function createLaunchAhead(
  { turns, log, run }: Parts,
  inHand: Pick<DeliveriesInHand, 'hold' | 'release'>,
  slots: Pick<Slots, 'noneWaiting'>,
): LaunchAhead {
  /** First claimed, first run: the next claim waits until this one is used up. */
  const queue: ClaimedAhead[] = [];
  let waiting = 0;

  async function launchSome(ahead: ClaimedAhead): Promise<void> {
    // What cannot run yet is not read yet.
    await slots.noneWaiting();
    const before = ahead.left();
    const reading = ahead.next(READ_AT_ONCE);
    const taken = before - ahead.left();
    waiting -= taken;
    const deliveries = await reading.catch((error: unknown) => {
      log.error({ reason: failureReason(error) }, 'Claimed deliveries could not be read');
      for (let lost = taken; lost > 0; lost -= 1) inHand.release();
      return [];
    });
    for (const delivery of deliveries) runInTime(delivery);
    if (ahead.left() === 0) queue.shift();
    launchFirst();
  }

  function runInTime(delivery: ClaimedDelivery): void {
    if (!turns.isDue()) run(delivery);
    else
      turns.inLaterTurn(() => {
        run(delivery);
      });
  }

  function launchFirst(): void {
    const [first] = queue;
    if (first === undefined) return;
    turns.inLaterTurn(() => {
      void launchSome(first);
    });
  }

  return {
    launch(ahead) {
      if (ahead.left() === 0) return;
      for (let lanes = ahead.left(); lanes > 0; lanes -= 1) inHand.hold();
      waiting += ahead.left();
      queue.push(ahead);
      if (queue.length === 1) launchFirst();
    },
    waiting: () => waiting,
  };
}
