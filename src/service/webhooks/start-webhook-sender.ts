import type { Logger } from '../../kernel/logger.ts';
import type { Service } from '../service.ts';
import { calm } from './chaos/chaos-rates.ts';
import { openOutbox } from './outbox.ts';
import { createWebhookPoster } from './post-webhook.ts';
import { runLane, type Lane } from './run-lane.ts';
import type { Chaos, SendingEndpoint } from './send-delivery.ts';
import { newCounts, type SenderCounts } from './sender-counts.ts';

/** Milliseconds that a receiver has to answer. */
const TIMEOUT_MS = 10_000;
/** Milliseconds after which a look is taken for what other processes wrote. */
const POLL_MS = 250;
/** Milliseconds that requests on their way have to end when the service stops. */
const GRACE_MS = 2_000;

export interface WebhookSender {
  /** Since it started. */
  readonly counts: Readonly<SenderCounts>;
  chaos(): Chaos;
  setChaos(chaos: Chaos): void;
  /** Looks for what is due at once, for example because time was moved. */
  wake(): void;
  stop(): Promise<void>;
}

export interface SenderOptions {
  readonly log: Logger;
  readonly chaos?: Chaos;
}

/**
 * Sends what {@link recordChange} has recorded, endpoints in parallel. Whatever an
 * earlier process left is sent first.
 */
export async function startWebhookSender(
  service: Service,
  { log, chaos: first = { rates: calm, seed: 1 } }: SenderOptions,
): Promise<WebhookSender> {
  const { clock, machine, random, query } = service;
  const outbox = openOutbox(service);
  const poster = createWebhookPoster({ timeoutMs: TIMEOUT_MS, clock: machine });
  const counts = newCounts();
  const stop = new AbortController();
  const cut = new AbortController();
  const endpoints = new Map<number, SendingEndpoint>();
  const lanes = new Map<string, Lane>();
  let chaos = first;
  const parts = { poster, outbox, clock, machine, random, counts, log, chaos: () => chaos };

  const wake = () => {
    for (const lane of lanes.values()) lane.wake();
  };

  async function readEndpoints(): Promise<void> {
    const rows = await query
      .selectFrom('webhook_endpoints')
      .select(['id', 'url', 'secret', 'message_prefix', 'lanes'])
      .execute();
    for (const row of rows) {
      endpoints.set(row.id, row);
      for (let lane = 0; lane < row.lanes; lane += 1) openLane(row, lane);
    }
  }

  function openLane(row: SendingEndpoint, lane: number): void {
    const name = `${String(row.id)}/${String(lane)}`;
    if (lanes.has(name)) return;
    const key = { endpoint: row.id, lane };
    lanes.set(
      name,
      runLane(parts, key, () => endpoints.get(row.id) ?? row, { stop: stop.signal, cut: cut.signal }),
    );
  }

  let cancelPoll = () => {};
  let polling = Promise.resolve();
  const poll = () => {
    polling = readEndpoints().then(wake, (error: unknown) => {
      log.error({ err: error }, 'The endpoints of webhooks cannot be read');
    });
    cancelPoll = machine.after(POLL_MS, poll);
  };

  await readEndpoints();
  cancelPoll = machine.after(POLL_MS, poll);
  const forget = service.onCommit((touched) => {
    if (touched.has('webhooks')) wake();
  });

  return {
    counts,
    chaos: () => chaos,
    setChaos(next) {
      chaos = next;
      wake();
    },
    wake,
    async stop() {
      forget();
      cancelPoll();
      stop.abort();
      const cancelGrace = machine.after(GRACE_MS, () => {
        cut.abort();
      });
      await polling;
      await Promise.all([...lanes.values()].map(({ ended }) => ended));
      cancelGrace();
      poster.close();
    },
  };
}
