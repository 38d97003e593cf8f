import { pause } from '../../src/kernel/time/pause.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Settlements } from './group-settlements.ts';
import { createLaneQueue } from './lane-queue.ts';
import type { DueDelivery, LaneKey, Outbox } from './outbox.ts';
import { fateOf, sendDelivery, type SendingParts } from './send-delivery.ts';
import type { SendingEndpoint } from './sending-endpoint.ts';

export interface LaneParts extends SendingParts {
  readonly outbox: Outbox;
  readonly settlements: Settlements;
  readonly log: Logger;
  /** No further webhook is begun. */
  readonly stop: AbortSignal;
}

export interface Lane {
  /** One that was just recorded. */
  offer(delivery: DueDelivery): void;
  /** Some were recorded that are not offered: they are looked for. */
  missSome(): void;
  /** Whether what is recorded now has to be looked for anyway. */
  readonly isBehind: boolean;
  /** One waits aside until then, ISO 8601. */
  expectAside(dueAt: string): void;
  /** Something may be due. */
  wake(): void;
  /** Resolves after `stop`, when nothing is on its way any more. */
  readonly ended: Promise<void>;
}

/** Milliseconds until the database is tried again. */
const DATABASE_PAUSE_MS = 1_000;
/** Results that may wait for the database: beyond that, sending waits, too. */
const MAX_UNWRITTEN = 1_000;

/**
 * Sends the webhooks of a lane one after another, in the order in which they were
 * recorded. One that failed waits for its next try, and those behind it with it;
 * what chaos has set aside comes when it is due.
 *
 * What is not yet written down when the process dies is sent again: at least once.
 *
 * @param endpoint asked before each webhook: its secret may have changed.
 */
export function runLane(parts: LaneParts, key: LaneKey, endpoint: () => SendingEndpoint): Lane {
  const { clock, machine, settlements, log, counts, stop } = parts;
  const queue = createLaneQueue(key, parts);
  let awake = true;
  let rouse: (() => void) | null = null;
  /** The newest that was delivered, by which the older ones are known to be overtaken. */
  let newest = 0;

  const wake = () => {
    awake = true;
    rouse?.();
  };

  /** Until something may be due. */
  function idle(nextDueAt: number | null): Promise<void> {
    if (awake || stop.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        rouse = null;
        cancel?.();
        stop.removeEventListener('abort', done);
        resolve();
      };
      const cancel = nextDueAt === null ? undefined : clock.after(nextDueAt - clock.now(), done);
      rouse = done;
      stop.addEventListener('abort', done);
    });
  }

  async function send(delivery: DueDelivery): Promise<void> {
    await standStill(delivery);
    if (stop.aborted) return;
    const result = await sendDelivery(parts, endpoint(), delivery, delivery.id < newest);
    if (result === null) return;
    const { settlement, repeats } = result;
    settlements.add(settlement, repeats);
    const { status, attempts, dueAt, failure } = settlement;
    if (status === 'delivered') newest = Math.max(newest, delivery.id);
    if (status === 'pending') queue.putBack({ ...delivery, attempts, dueAt });
    if (status === 'aside') queue.expectAside(dueAt);
    for (const repeat of repeats) queue.expectAside(repeat.dueAt);
    if (status === 'dead')
      log.warn({ delivery: delivery.id, url: endpoint().url, reason: failure }, 'A webhook was given up');
    if (settlements.waiting > MAX_UNWRITTEN) await settlements.written();
  }

  async function standStill(delivery: DueDelivery): Promise<void> {
    if (delivery.attempts > 0 || delivery.status !== 'pending') return;
    const ms = fateOf(delivery, parts.chaos())?.burstMs ?? null;
    if (ms === null) return;
    counts.bursts += 1;
    await pause(clock, ms, stop);
  }

  async function round(): Promise<void> {
    awake = false;
    const delivery = await queue.next();
    if (delivery === null) await idle(queue.nextDueAt);
    else if (!stop.aborted) await send(delivery);
  }

  async function run(): Promise<void> {
    while (!stop.aborted) {
      try {
        await round();
      } catch (error) {
        log.error({ err: error }, 'The outbox cannot be read; it is tried again');
        await pause(machine, DATABASE_PAUSE_MS, stop);
      }
    }
  }

  return {
    offer(delivery) {
      queue.offer(delivery);
      wake();
    },
    missSome() {
      queue.missSome();
      wake();
    },
    get isBehind() {
      return queue.isBehind;
    },
    expectAside(dueAt) {
      queue.expectAside(dueAt);
      wake();
    },
    wake,
    ended: run(),
  };
}
