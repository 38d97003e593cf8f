import type { ChaosEffect } from './chaos/chaos-rates.ts';

/** What the sender did since it started. */
export type SenderCounts = Record<
  /** Requests made. */
  | 'sent'
  /** Answered 2xx, repeats included. */
  | 'delivered'
  /** Tries that failed. */
  | 'failed'
  /** Given up after the last try. */
  | 'dead'
  /** Effects of chaos, when they take place; `reorder` only where a later one did overtake. */
  | ChaosEffect,
  number
>;

export function newCounts(): SenderCounts {
  return {
    sent: 0,
    delivered: 0,
    failed: 0,
    dead: 0,
    duplicates: 0,
    resign: 0,
    reorder: 0,
    delay: 0,
    drops: 0,
    losses: 0,
    truncation: 0,
    bursts: 0,
  };
}
