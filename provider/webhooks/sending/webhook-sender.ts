/** Sends the webhooks of the outbox. */
import type { Logger } from '../../../src/kernel/logger.ts';
import type { Provider } from '../../provider.ts';
import { calm } from '../chaos/chaos-rates.ts';
import { openOutbox, type Endpoint, type LaneKey } from '../outbox/outbox.ts';
import { runLane, type Lane } from './lane.ts';
import { newCounts, type Chaos, type SenderCounts } from './send-delivery.ts';

/** Milliseconds between two polls for what other processes wrote. */
const POLL_MS = 250;
/** Milliseconds that attempts in flight have to end when the provider stops. */
const GRACE_MS = 2_000;

/** Sends the webhooks of the outbox. */
export interface WebhookSender {
  /** Counts since the start. */
  readonly counts: Readonly<SenderCounts>;
  chaos(): Chaos;
  setChaos(chaos: Chaos): void;
  /** Waits up to 2 seconds for attempts in flight. Everything else stays in the outbox. */
  stop(): Promise<void>;
}

/**
 * Starts to send the webhooks that `recordChange` has recorded, all lanes of all
 * endpoints in parallel. Webhooks that an earlier process left are sent first.
 */
export async function startWebhookSender(
  provider: Provider,
  { log, chaos: chaosAtStart }: { readonly log: Logger; readonly chaos?: Chaos },
): Promise<WebhookSender> {
  const { clock, machine, random } = provider;
  const outbox = openOutbox(provider);
  const counts = newCounts();
  let chaos = chaosAtStart ?? { rates: calm, seed: 1 };
  const stop = new AbortController();
  const cut = new AbortController();
  const laneDeps = {
    outbox,
    clock,
    machine,
    random,
    log,
    counts,
    chaos: () => chaos,
    cut: cut.signal,
  };
  const endpoints = new Map<number, Endpoint>();
  const lanes = new Map<string, { readonly endpoint: number; readonly lane: Lane }>();
  /** Lanes of removed endpoints end here, too. */
  const running = new Set<Promise<void>>();
  const nameOf = ({ endpoint, lane }: LaneKey) => `${String(endpoint)}/${String(lane)}`;

  async function openLanes(): Promise<void> {
    const registered = await outbox.endpoints();
    for (const endpoint of registered) {
      endpoints.set(endpoint.id, endpoint);
      for (let lane = 0; lane < endpoint.lanes; lane += 1) openLane(endpoint, lane);
    }
    const ids = new Set(registered.map(({ id }) => id));
    for (const [name, { endpoint, lane }] of lanes) {
      if (ids.has(endpoint)) continue;
      lane.stop();
      lanes.delete(name);
    }
  }

  function openLane(endpoint: Endpoint, lane: number): void {
    const key = { endpoint: endpoint.id, lane };
    // A search that was under way at the stop must not leave a lane that runs.
    if (lanes.has(nameOf(key)) || stop.signal.aborted) return;
    const opened = runLane(laneDeps, key, () => endpoints.get(endpoint.id) ?? endpoint);
    running.add(opened.ended);
    void opened.ended.finally(() => running.delete(opened.ended));
    lanes.set(nameOf(key), { endpoint: endpoint.id, lane: opened });
  }

  /** Id up to which lanes know of pending deliveries. A new lane reads all of its own. */
  let newest = await outbox.newest();

  async function findNew(): Promise<void> {
    for (const found of await outbox.lanesWithNew(newest)) {
      lanes.get(nameOf(found))?.lane.expectNew();
      newest = Math.max(newest, found.newest);
    }
  }

  async function findAll(): Promise<void> {
    await openLanes();
    for (const waiting of await outbox.allNextAside())
      lanes.get(nameOf(waiting))?.lane.expectAside(waiting.dueAt);
    await findNew();
  }

  /** One search at a time, and at most one more of each kind behind it. */
  let searching = Promise.resolve();
  const queued = new Set<() => Promise<void>>();
  function search(find: () => Promise<void>): void {
    if (queued.has(find) || stop.signal.aborted) return;
    queued.add(find);
    searching = searching.then(async () => {
      queued.delete(find);
      try {
        await find();
      } catch (error) {
        // The next poll retries.
        log.error({ err: error }, 'The webhook outbox cannot be read; retrying');
      }
    });
  }

  let cancelPoll = () => {};
  const poll = () => {
    search(findAll);
    cancelPoll = machine.after(POLL_MS, poll);
  };
  await openLanes();
  poll();
  const unsubscribe = provider.onCommit((touched) => {
    if (touched.has('webhooks')) search(findNew);
    if (touched.has('webhooks aside')) search(findAll);
  });

  return {
    counts,
    chaos: () => chaos,
    setChaos(next) {
      chaos = next;
    },
    async stop() {
      unsubscribe();
      cancelPoll();
      stop.abort();
      for (const { lane } of lanes.values()) lane.stop();
      const cancelGrace = machine.after(GRACE_MS, () => {
        cut.abort();
      });
      await searching;
      await Promise.all(running);
      cancelGrace();
    },
  };
}
