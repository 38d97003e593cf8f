import type { ParsedEvent } from './parsed-event.ts';
import type { Subject } from './subject.ts';

/** An event with what tells it from every other and orders it among its subject's. */
export interface IdentifiedEvent {
  readonly stage: 'identified';
  readonly parsed: ParsedEvent;
  readonly subject: Subject;
  /**
   * 32 bytes: SHA-256 of the canonical JSON of type and data, or of the
   * sender's message id where it gave one. The source is part of both.
   */
  readonly digest: Uint8Array;
  /** The digest of type and data when `digest` is a message id's; else null. */
  readonly contentDigest: Uint8Array | null;
  /**
   * Orders the events of the subject: compare as plain strings. An instant in
   * UTC with nine decimals, then tie-breakers; or `deleted`, which sorts after
   * every instant. Null when the kind has no version, or this payload leaves it
   * out.
   */
  readonly version: string | null;
}
