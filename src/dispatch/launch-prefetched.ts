import type { Prefetched, ClaimedDelivery } from '../store/lane-queue.ts';
import type { DeliveriesInHand } from './deliveries-in-hand.ts';
import type { Release } from './release-deliveries.ts';
import type { LoopTurns } from './loop-turns.ts';
import type { Slots } from './slots.ts';

/** Deliveries whose events are read at a time, unless these are large: a fraction of a millisecond. */
const READ_AT_ONCE = 64;

/** Runs what was claimed ahead when its turn comes, or gives it back unread when it may not run any more. */
export interface LaunchPrefetched {
  /** As slots allow, in order, and in a later turn of the loop when there is no more time in one. */
  readonly launch: (ahead: Prefetched) => void;
  /** How many wait for their events to be read, or to be given back unread. */
  readonly waiting: () => number;
}

interface Parts {
  readonly turns: Pick<LoopTurns, 'inLaterTurn' | 'isDue'>;
  /** Why nothing of this handler may begin now. */
  readonly refusal: (handler: string) => string | undefined;
  readonly release: Release;
  /** Runs a lane from this delivery on, and releases it in the end. */
  readonly run: (delivery: ClaimedDelivery) => void;
}

export function createLaunchPrefetched(
  { turns, refusal, release, run }: Parts,
  inHand: Pick<DeliveriesInHand, 'hold' | 'release'>,
  slots: Pick<Slots, 'noneWaiting'>,
): LaunchPrefetched {
  /** First claimed, first run: the next claim waits until this one is used up. */
  let queue: readonly Prefetched[] = [];
  let waiting = 0;

  async function launchSome(): Promise<void> {
    // What cannot run yet is not read yet,
    await slots.noneWaiting();
    // and what may not run any more, never.
    releaseRefused();
    const [first] = queue;
    if (first === undefined) return;
    const before = first.left();
    const reading = first.next(READ_AT_ONCE);
    waiting -= before - first.left();
    const { deliveries, unread } = await reading;
    if (unread.length > 0)
      void release.unreadable(unread).then(() => {
        inHand.release(unread.length);
      });
    for (const delivery of deliveries) runInTime(delivery);
    forgetUsedUp();
    launchFirst();
  }

  function releaseRefused(): void {
    const isRefused = (handler: string): boolean => refusal(handler) !== undefined;
    const unread = queue.flatMap((ahead) => {
      const refused = ahead.handlers().filter(isRefused);
      return refused.length === 0 ? [] : ahead.withdraw(refused);
    });
    forgetUsedUp();
    const reason = unread[0] && refusal(unread[0].handler);
    if (reason === undefined) return;
    void release.refused(unread, reason).then(() => {
      waiting -= unread.length;
      inHand.release(unread.length);
    });
  }

  function forgetUsedUp(): void {
    queue = queue.filter((ahead) => ahead.left() > 0);
  }

  function runInTime(delivery: ClaimedDelivery): void {
    if (!turns.isDue()) run(delivery);
    else
      turns.inLaterTurn(() => {
        run(delivery);
      });
  }

  function launchFirst(): void {
    if (queue.length === 0) return;
    turns.inLaterTurn(() => {
      void launchSome();
    });
  }

  return {
    launch(ahead) {
      if (ahead.left() === 0) return;
      inHand.hold(ahead.left());
      waiting += ahead.left();
      queue = [...queue, ahead];
      if (queue.length === 1) launchFirst();
    },
    waiting: () => waiting,
  };
}
