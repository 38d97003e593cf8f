import type { JsonValue } from '../kernel/json/json.ts';
import type { EventFlag } from './parsed-event.ts';
import type { Subject } from './subject.ts';

/**
 * How an event stood to what was known of its subject when it was stored.
 * `stale` is older than the latest; `ambiguous` see {@link EventFlag}.
 * (The fourth verdict, duplicate, stores no event: it counts on the first.)
 */
export type Verdict = 'new' | 'stale' | 'ambiguous';

/** An event as the log holds it, without its bytes. */
export interface EventRecord {
  /** Unique across installations, never reused: `<storeId>-<number>`. */
  readonly id: string;
  readonly kind: string;
  readonly recognized: boolean;
  readonly source: string;
  readonly subject: Subject;
  readonly verdict: Verdict;
  readonly flags: readonly EventFlag[];
  readonly version: string | null;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** How often it came again. */
  readonly repeats: number;
  /** Milliseconds since 1970 of the last repeat. */
  readonly lastRepeatAt: number | null;
  readonly messageId: string | null;
  /** Whether the signature covered the id, or a setting trusted it. Otherwise anybody may have made it up. */
  readonly messageIdTrusted: boolean;
}

/** An event as handlers get it: the record and its payload. */
export interface StoredEvent extends EventRecord {
  readonly data: JsonValue;
}

/** An event with everything kept of its delivery. */
export interface StoredDelivery extends EventRecord {
  /** Byte for byte what was received; null once purged. */
  readonly body: Uint8Array | null;
  readonly headers: Readonly<Record<string, string>>;
}
