import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import type { VerifiedDelivery } from './verified-delivery.ts';

/**
 * What operators should know of an event that was taken in all the same.
 *
 * - `ambiguous`: an unversioned subject returned to an earlier content, so a
 *   late redelivery and a real return look the same.
 * - `confirmed`, `superseded`, `unconfirmed`: what the provider's record said of
 *   an ambiguous event: a real return, a late redelivery, or nothing.
 * - `unrecognized`: the kind is not in the contract; the payload is unchecked.
 * - `check-digits`: a CPF or CNPJ whose check digits do not fit.
 * - `released`: let through from quarantine.
 */
export type EventFlag =
  'ambiguous' | 'confirmed' | 'superseded' | 'unconfirmed' | 'unrecognized' | 'check-digits' | 'released';

/** An envelope that fits the contract, or whose kind the contract does not know. */
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
