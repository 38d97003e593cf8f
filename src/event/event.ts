/** An event before it is stored: parsed, then identified. */
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import type { VerifiedDelivery } from './delivery.ts';
import type { Subject } from './subject.ts';

/**
 * A remark for operators about an accepted event.
 *
 * - `ambiguous`: an unversioned subject returned to an earlier content. A late redelivery and a real change
 *   back look the same.
 * - `confirmed`, `superseded`, `unconfirmed`: how the provider's record resolved an ambiguous event: as a real
 *   change, as a late redelivery, or not at all.
 * - `unrecognized`: the contract does not contain the kind, and the payload is unchecked.
 * - `unknown-value`: an enumeration of the contract does not list a value of the event.
 * - `check-digits`: a CPF or CNPJ has wrong check digits.
 * - `reconciled`: it is a record of the provider that no webhook had told; the webhook that comes late is its repeat.
 * - `released`: the event was released from quarantine.
 * - `no-handlers`: an operator imported it with `--no-handlers`, or repaired it with `--handlers`: it was stored and
 *   delivered to nobody, or to machines only.
 * - `unverified`: nobody proved its sender. Its source was only observed, or it was released from quarantine and had
 *   arrived without proof.
 * - `sample`: an operator sent it from the console, to try something out.
 * - `erased`: personal data of a person was erased from the event.
 */
export const eventFlags = [
  'ambiguous',
  'confirmed',
  'superseded',
  'unconfirmed',
  'unrecognized',
  'unknown-value',
  'check-digits',
  'released',
  'reconciled',
  'no-handlers',
  'unverified',
  'sample',
  'erased',
] as const;

export type EventFlag = (typeof eventFlags)[number];

/** A valid envelope, or one whose kind the contract does not contain. */
export type ParsedEvent = RecognizedEvent | UnrecognizedEvent;

interface ParsedEventBase {
  readonly stage: 'parsed';
  readonly delivery: VerifiedDelivery;
  /** The envelope's `type`. */
  readonly kind: string;
  readonly flags: readonly EventFlag[];
}

interface RecognizedEvent extends ParsedEventBase {
  readonly recognized: true;
  readonly data: JsonObject;
}

interface UnrecognizedEvent extends ParsedEventBase {
  readonly recognized: false;
  readonly data: JsonValue;
}

/** A parsed event with its identity and its order among the events of its subject. */
export interface IdentifiedEvent {
  readonly stage: 'identified';
  readonly parsed: ParsedEvent;
  readonly subject: Subject;
  /** The digest without a key that earlier versions stored as the subject's id; null for other ids. */
  readonly formerId: string | null;
  /** 32 bytes: the SHA-256 of the canonical JSON of source, type and data. */
  readonly digest: Uint8Array;
  /** 32 bytes: the SHA-256 of source and message id. Null without a trusted message id. */
  readonly messageDigest: Uint8Array | null;
  /**
   * Orders the events of the subject; compare as plain strings. An instant in UTC with nine decimals, then
   * tie-breakers; or `deleted`, which sorts after every instant. Null when the kind has no version, or this
   * payload lacks it.
   */
  readonly version: string | null;
}
