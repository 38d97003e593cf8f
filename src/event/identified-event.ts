import type { ParsedEvent } from './parsed-event.ts';
import type { Subject } from './subject.ts';

/** An event with what tells it from every other and orders it among its subject's. */
export interface IdentifiedEvent {
  readonly stage: 'identified';
  readonly parsed: ParsedEvent;
  readonly subject: Subject;
  /** 32 bytes: SHA-256 of the canonical JSON of source, type and data. */
  readonly digest: Uint8Array;
  /** 32 bytes: SHA-256 of source and message id; null where the sender gave none that can be trusted. */
  readonly messageDigest: Uint8Array | null;
  /**
   * Orders the events of the subject: compare as plain strings. An instant in
   * UTC with nine decimals, then tie-breakers; or `deleted`, which sorts after
   * every instant. Null when the kind has no version, or this payload leaves it
   * out.
   */
  readonly version: string | null;
}
