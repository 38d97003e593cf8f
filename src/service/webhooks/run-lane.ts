import { pause } from '../../kernel/pause.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { DueDelivery, LaneKey, Outbox, Repeat, Settlement } from './outbox.ts';
import { fateOf, sendDelivery, type SendingEndpoint, type SendingParts } from './send-delivery.ts';

export interface LaneParts extends SendingParts {
  readonly outbox: Outbox;
  readonly log: Logger;
}

export interface LaneSignals {
  /** No further webhook is begun. */
  readonly stop: AbortSignal;
  /** The one on its way is broken off. */
  readonly cut: AbortSignal;
}

export interface Lane {
  /** Something may be due. */
  wake(): void;
  /** Resolves after `stop`, when what was sent is written down. */
  readonly ended: Promise<void>;
}

/** Milliseconds after which results are written down though there is more to send. */
const WRITE_AFTER_MS = 100;
/** Milliseconds until the database is tried again. */
const DATABASE_PAUSE_MS = 1_000;

/**
 * Sends the webhooks of a lane one after another, in the order in which they were
 * recorded. One that failed waits for its next try, and those behind it with it;
 * what chaos has set aside comes when it is due.
 *
 * What is not yet written down when the process dies is sent again: at least once.
 *
 * @param endpoint asked before each webhook: its secret may have changed.
 */
export function runLane(
  parts: LaneParts,
  key: LaneKey,
  endpoint: () => SendingEndpoint,
  signals: LaneSignals,
): Lane {
  const { clock, machine, outbox, log, counts } = parts;
  const { stop } = signals;
  let awake = true;
  let rouse: (() => void) | null = null;
  let settled: Settlement[] = [];
  let repeats: Repeat[] = [];
  /** The newest that was sent, by which the older ones are known to be overtaken. */
  let newest = 0;

  const wake = () => {
    awake = true;
    rouse?.();
  };

  /** Until something may be due. */
  function idle(nextDueAt: string | null): Promise<void> {
    if (awake || stop.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        rouse = null;
        cancel?.();
        stop.removeEventListener('abort', done);
        resolve();
      };
      const cancel = nextDueAt === null ? undefined : clock.after(Date.parse(nextDueAt) - clock.now(), done);
      rouse = done;
      stop.addEventListener('abort', done);
    });
  }

  /** Whether those behind it may go. */
  async function send(delivery: DueDelivery): Promise<boolean> {
    await standStill(delivery);
    if (stop.aborted) return false;
    const overtaken = delivery.id < newest;
    const result = await sendDelivery(parts, endpoint(), delivery, { overtaken, cut: signals.cut });
    if (result === null) return false;
    const { settlement } = result;
    settled.push(settlement);
    repeats.push(...result.repeats);
    if (settlement.status === 'delivered') newest = Math.max(newest, delivery.id);
    if (settlement.status === 'dead') {
      const { url } = endpoint();
      log.warn({ delivery: delivery.id, url, reason: settlement.failure }, 'A webhook was given up');
    }
    return settlement.status !== 'pending';
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
    const { due, nextDueAt } = await exchange();
    if (due.length === 0) {
      await idle(nextDueAt);
      return;
    }
    const since = machine.monotonic();
    for (const delivery of due) {
      if (stop.aborted || !(await send(delivery))) return;
      if (machine.monotonic() - since > WRITE_AFTER_MS) return;
    }
  }

  async function exchange() {
    const now = new Date(clock.now()).toISOString();
    const exchanged = await outbox.exchange(key, { settled, repeats }, now);
    settled = [];
    repeats = [];
    return exchanged;
  }

  async function run(): Promise<void> {
    while (!stop.aborted) {
      try {
        await round();
      } catch (error) {
        log.error({ err: error }, 'The outbox cannot be read or written; it is tried again');
        await pause(machine, DATABASE_PAUSE_MS, stop);
      }
    }
    if (settled.length > 0) await exchange();
  }

  return { wake, ended: run() };
}
