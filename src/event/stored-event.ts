/** An event as the store returns it: without payload, with payload, with its bytes. */
import type { JsonValue } from '../kernel/json/json.ts';
import type { EventFlag } from './event.ts';
import type { Subject } from './subject.ts';

/**
 * How an event compared with the known events of its subject when it was stored. `stale`: older than the
 * latest. `ambiguous`: see {@link EventFlag}. A duplicate stores no event: the first one counts it.
 */
export const verdicts = ['new', 'stale', 'ambiguous'] as const;

export type Verdict = (typeof verdicts)[number];

/** A stored event without its payload. */
export interface EventRecord {
  /** `<storeId>-<number>`: unique across stores, never reused. */
  readonly id: string;
  readonly kind: string;
  readonly recognized: boolean;
  readonly source: string;
  readonly subject: Subject;
  readonly verdict: Verdict;
  readonly flags: readonly EventFlag[];
  readonly version: string | null;
  /** When the webhook arrived, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** The number of repeats. */
  readonly repeats: number;
  /** The time of the last repeat in milliseconds since 1970. */
  readonly lastRepeatAt: number | null;
  readonly messageId: string | null;
  /** Whether the signature covered the id, or a setting trusted it. Otherwise anybody could have made it up. */
  readonly messageIdTrusted: boolean;
}

/** A stored event with its payload, as handlers receive it. */
export interface StoredEvent extends EventRecord {
  readonly data: JsonValue;
}

/** A stored event with the bytes and headers of its delivery. */
export interface StoredDelivery extends EventRecord {
  /** The received bytes; null once pruned. */
  readonly body: Uint8Array | null;
  /** When the body was pruned, in milliseconds since 1970; null while there is one. */
  readonly prunedAt: number | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the payload of a stored body, by its source; undefined when there is none. */
export type DataOf = (source: string, body: JsonValue) => JsonValue | undefined;
