import { pause } from '../../src/kernel/time/pause.ts';
import type { Clock } from '../../src/kernel/time/clock.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import { READ_AT_A_TIME, type LaneKey, type Outbox } from './outbox.ts';
import type { Lane } from './run-lane.ts';

export interface FeedParts {
  readonly outbox: Outbox;
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly laneOf: (key: LaneKey) => Lane | undefined;
  readonly machine: Clock;
  readonly log: Logger;
  readonly gatherMs: number;
  readonly onLook?: () => void;
  readonly stop: AbortSignal;
}

export interface Feed {
  /** There may be something new. */
  look(): void;
  /** Resolves when no looking goes on any more. */
  ended(): Promise<void>;
}

/** Milliseconds until the database is tried again. */
const DATABASE_PAUSE_MS = 1_000;

/**
 * Reads what is newly recorded once for all lanes, and gives each its own. Where
 * all of them have older ones to read first, they will find the new ones, too.
 */
export function feedLanes({ outbox, lanes, laneOf, machine, log, gatherMs, onLook, stop }: FeedParts): Feed {
  /** The newest that was read, or left to the lanes. */
  let newest = 0;
  let looking: Promise<void> | null = null;
  let lookAgain = false;

  /** @returns whether there is more. */
  async function read(): Promise<boolean> {
    onLook?.();
    if (lanes.values().every(({ isBehind }) => isBehind)) {
      newest = await outbox.newest();
      for (const lane of lanes.values()) lane.missSome();
      return false;
    }
    const recorded = await outbox.recordedAfter(newest);
    for (const delivery of recorded) {
      // An endpoint that is not known yet finds its own when it is.
      laneOf(delivery)?.offer(delivery);
      newest = delivery.id;
    }
    return recorded.length === READ_AT_A_TIME;
  }

  async function run(): Promise<void> {
    while (lookAgain && !stop.aborted) {
      lookAgain = false;
      try {
        if (await read()) lookAgain = true;
        else if (gatherMs > 0) await pause(machine, gatherMs, stop);
      } catch (error) {
        log.error({ err: error }, 'The outbox cannot be read; it is tried again');
        lookAgain = true;
        await pause(machine, DATABASE_PAUSE_MS, stop);
      }
    }
    looking = null;
  }

  return {
    look() {
      lookAgain = true;
      looking ??= run();
    },
    ended: () => looking ?? Promise.resolve(),
  };
}
