/** The lanes in which the deliveries of an endpoint are sent. */
import { pause } from '../../../src/kernel/time/pause.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { DueDelivery, Endpoint, LaneKey, Outbox } from '../outbox/outbox.ts';
import { createLaneQueue } from './lane-queue.ts';
import { fateOf, sendDelivery, type SendingDeps, type SendResult } from './send-delivery.ts';

export interface LaneDeps extends SendingDeps {
  readonly outbox: Outbox;
  readonly log: Logger;
}

/** A running lane: sends the deliveries of one endpoint one after another. */
export interface Lane {
  /** New deliveries were recorded. */
  expectNew(): void;
  /** A delivery waits aside until this time, ISO 8601. */
  expectAside(dueAt: string): void;
  /** Starts no further attempt. */
  stop(): void;
  /** Resolves after `stop`, when no attempt is in flight. */
  readonly ended: Promise<void>;
}

/** Milliseconds until a failed read or write of the outbox is retried. */
const RETRY_MS = 1_000;

/**
 * Sends the deliveries of a lane in the order in which they were recorded. A failed
 * delivery waits for its next attempt, and the deliveries behind it wait with it.
 * Deliveries aside are sent when they are due.
 *
 * Delivery is at least once: a result that is not written when the process dies
 * leads to another attempt.
 *
 * @param endpoint called before each attempt: the secret may have changed.
 */
export function runLane(deps: LaneDeps, key: LaneKey, endpoint: () => Endpoint): Lane {
  const { clock, machine, outbox, log, counts } = deps;
  // A signal of its own: Node takes many listeners of a shared one for a leak.
  const stopping = new AbortController();
  const stop = stopping.signal;
  const queue = createLaneQueue(key, deps);
  let isAwake = true;
  let wakeUp: (() => void) | null = null;
  /** Id of the newest delivery that succeeded: older ones were overtaken. */
  let newest = 0;

  const wake = () => {
    isAwake = true;
    wakeUp?.();
  };

  /** Resolves when a delivery may be due. */
  function idle(nextDueAt: number | null): Promise<void> {
    if (isAwake || stop.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        wakeUp = null;
        cancel?.();
        stop.removeEventListener('abort', done);
        resolve();
      };
      const cancel = nextDueAt === null ? undefined : clock.after(nextDueAt - clock.now(), done);
      wakeUp = done;
      stop.addEventListener('abort', done);
    });
  }

  async function send(delivery: DueDelivery): Promise<void> {
    await delay(delivery);
    if (stop.aborted) return;
    const result = await sendDelivery(deps, endpoint(), delivery, delivery.id < newest);
    if (result === null) return;
    await save(result);
    const { update, repeats } = result;
    const { status, attempts, dueAt, failure } = update;
    if (status === 'delivered') newest = Math.max(newest, delivery.id);
    if (status === 'pending') queue.putBack({ ...delivery, attempts, dueAt });
    if (status === 'aside') queue.expectAside(dueAt);
    for (const repeat of repeats) queue.expectAside(repeat.dueAt);
    if (status === 'dead')
      log.warn({ delivery: delivery.id, url: endpoint().url, reason: failure }, 'A webhook is dead');
  }

  /** Writes what came of an attempt. Once the lane stops, a failed write is not retried: the webhook is sent again later. */
  async function save({ update, repeats }: SendResult): Promise<void> {
    for (let isWritten = false; !isWritten;) {
      try {
        await outbox.save(update, repeats);
        isWritten = true;
      } catch (error) {
        log.error({ err: error }, 'The webhook outbox cannot be written; retrying');
        isWritten = stop.aborted;
        await pause(machine, RETRY_MS, stop);
      }
    }
  }

  /** Pauses the lane before a delivery that chaos has chosen to start a burst. */
  async function delay(delivery: DueDelivery): Promise<void> {
    if (delivery.attempts > 0 || delivery.status !== 'pending') return;
    const ms = fateOf(delivery, deps.chaos())?.burstMs ?? null;
    if (ms === null) return;
    counts.bursts += 1;
    await pause(clock, ms, stop);
  }

  async function run(): Promise<void> {
    while (!stop.aborted) {
      try {
        isAwake = false;
        const delivery = await queue.next();
        if (delivery === null) await idle(queue.nextDueAt);
        else await send(delivery);
      } catch (error) {
        log.error({ err: error }, 'The webhook outbox cannot be read; retrying');
        await pause(machine, RETRY_MS, stop);
      }
    }
  }

  return {
    expectNew() {
      queue.expectNew();
      wake();
    },
    expectAside(dueAt) {
      queue.expectAside(dueAt);
      wake();
    },
    stop() {
      stopping.abort();
    },
    ended: run(),
  };
}
