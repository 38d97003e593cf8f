import type { Cancel, Clock } from '../../kernel/time/clock.ts';
import type { StoreTotals } from '../../store/queries.ts';
import { describeWaiting, findWaiting } from './waiting-without-handler.ts';

/** Commands with other handlers can enqueue at any time. */
const CHECK_EVERY_MS = 60_000;

export interface WatchWaitingOptions {
  readonly clock: Clock;
  /** Every name that a delivery to a handler of this process carries. */
  readonly deliveryNames: readonly string[];
  readonly totals: () => Promise<Pick<StoreTotals, 'byHandler'>>;
  readonly warn: (warning: string) => void;
}

/**
 * Warns of pending deliveries that this process never runs: now, and when another
 * handler joins them.
 *
 * @returns stops watching
 */
export function watchWaiting({ clock, deliveryNames, totals, warn }: WatchWaitingOptions): Cancel {
  const warned = new Set<string>();
  let stopped = false;
  let cancel: Cancel = () => undefined;

  async function check(): Promise<void> {
    // Only a warning: a store that cannot be read is reported where it matters.
    const found = await totals().catch(() => null);
    if (stopped || found === null) return;
    const waiting = findWaiting(found, deliveryNames);
    const isNew = waiting.some(({ handler }) => !warned.has(handler));
    for (const { handler } of waiting) warned.add(handler);
    const warning = isNew ? describeWaiting(waiting) : null;
    if (warning !== null) warn(warning);
  }

  function repeat(): void {
    cancel = clock.after(CHECK_EVERY_MS, repeat);
    void check();
  }

  repeat();
  return () => {
    stopped = true;
    cancel();
  };
}
