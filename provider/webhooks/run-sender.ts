import type { Clock } from '../../src/kernel/time/clock.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Random } from '../../src/kernel/random/random.ts';
import { feedLanes } from './feed-lanes.ts';
import { groupSettlements } from './group-settlements.ts';
import type { EndpointRow, LaneKey, Outbox } from './outbox.ts';
import { createWebhookPoster } from './post-webhook.ts';
import { runLane, type Lane } from './run-lane.ts';
import type { Chaos } from './send-delivery.ts';
import type { SenderCounts } from './sender-counts.ts';

/** Milliseconds that a receiver has to answer. */
const TIMEOUT_MS = 10_000;
/** Milliseconds after which a look is taken for what other processes wrote. */
const POLL_MS = 250;
/** Milliseconds that requests on their way have to end when the provider stops. */
export const GRACE_MS = 2_000;

export interface SenderParts {
  readonly outbox: Outbox;
  /** The provider's time. */
  readonly clock: Clock;
  readonly machine: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly counts: SenderCounts;
  readonly chaos: () => Chaos;
  /** Milliseconds for which results, and what is recorded, gather; 0: not at all. */
  readonly gatherMs: number;
  /** Called whenever it begins to look for what is recorded: from then on it wants to be woken again. */
  readonly onLook?: () => void;
}

export interface RunningSender {
  /** Something was recorded. */
  wake(): void;
  /** Something was set aside by others, or time was moved: all is looked through. */
  lookAround(): void;
  /** Waits for what is on its way, for 2 seconds at most; what is cut off then is sent again at the next start. */
  stop(): Promise<void>;
}

/** Sends what is in the outbox, endpoints in parallel: first whatever an earlier process left. */
export async function runSender(parts: SenderParts): Promise<RunningSender> {
  const { outbox, machine, log } = parts;
  const stop = new AbortController();
  const cut = new AbortController();
  const poster = createWebhookPoster({ timeoutMs: TIMEOUT_MS, clock: machine, cut: cut.signal });
  const settlements = groupSettlements({ ...parts, stop: stop.signal });
  const laneParts = { ...parts, poster, settlements, stop: stop.signal, cut: cut.signal };
  const endpoints = new Map<number, EndpointRow>();
  const lanes = new Map<string, Lane>();
  const laneOf = ({ endpoint, lane }: LaneKey) => lanes.get(`${String(endpoint)}/${String(lane)}`);
  const feed = feedLanes({ ...parts, lanes, laneOf, stop: stop.signal });

  async function readEndpoints(): Promise<void> {
    for (const row of await outbox.endpoints()) {
      endpoints.set(row.id, row);
      for (let lane = 0; lane < row.lanes; lane += 1) openLane(row, lane);
    }
  }

  function openLane(row: EndpointRow, lane: number): void {
    const name = `${String(row.id)}/${String(lane)}`;
    if (lanes.has(name)) return;
    lanes.set(
      name,
      runLane(laneParts, { endpoint: row.id, lane }, () => endpoints.get(row.id) ?? row),
    );
  }

  async function readAround(): Promise<void> {
    try {
      await readEndpoints();
      for (const waiting of await outbox.waitingAside()) laneOf(waiting)?.expectAside(waiting.dueAt);
    } catch (error) {
      log.error({ err: error }, 'The endpoints of webhooks cannot be read');
    }
    feed.look();
  }

  let looking = Promise.resolve();
  const lookAround = () => {
    looking = looking.then(readAround);
  };
  let cancelPoll = () => {};
  const poll = () => {
    lookAround();
    cancelPoll = machine.after(POLL_MS, poll);
  };

  await readEndpoints();
  poll();

  return {
    wake: () => {
      feed.look();
    },
    lookAround,
    async stop() {
      cancelPoll();
      stop.abort();
      const cancelGrace = machine.after(GRACE_MS, () => {
        cut.abort();
      });
      await looking;
      await feed.ended();
      await Promise.all([...lanes.values()].map(({ ended }) => ended));
      await settlements.written();
      cancelGrace();
      poster.close();
    },
  };
}
