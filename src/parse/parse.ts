import { catalogue, isEventKind, type EventKind } from '../contract/catalogue.ts';
import { hasValidCheckDigits } from '../contract/check-digits.ts';
import { matchesKind } from '../contract/compile-check.ts';
import type { ParsedEvent } from '../event/parsed-event.ts';
import type { RejectedDelivery } from '../event/rejected-delivery.ts';
import type { VerifiedDelivery } from '../event/verified-delivery.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { findOverflow } from './find-overflow.ts';
import { listIssues } from './list-issues.ts';
import { readEnvelope } from './read-envelope.ts';
import { readJson } from './read-json.ts';

/**
 * Bytes to an event, or to the reasons why they are none. Never throws,
 * whatever the bytes.
 *
 * The event carries the data as JSON.parse made it, not the schema's copy: what
 * the contract does not know is kept, and what it knows is not touched.
 */
export function parse(delivery: VerifiedDelivery): ParsedEvent | RejectedDelivery {
  const json = readJson(delivery.body);
  if (!json.ok) return malformed(delivery, json.message, null);
  const envelope = readEnvelope(json.value);
  if (!envelope.ok) return malformed(delivery, envelope.message, envelope.kind);
  const { type, data } = envelope;
  const parsed = isEventKind(type) ? recognized(delivery, type, data) : unrecognized(delivery, type, data);
  const overflow = parsed.stage === 'parsed' ? findOverflow(data) : undefined;
  return overflow === undefined ? parsed : overflowing(delivery, type, overflow);
}

function recognized(
  delivery: VerifiedDelivery,
  kind: EventKind,
  data: JsonValue,
): ParsedEvent | RejectedDelivery {
  if (!matchesKind(kind, data)) return invalid(delivery, kind, data);
  const flags = hasValidCheckDigits(kind, data) ? [] : (['check-digits'] as const);
  return { stage: 'parsed', delivery, kind, flags, recognized: true, data: data as JsonObject };
}

function invalid(delivery: VerifiedDelivery, kind: EventKind, data: JsonValue): RejectedDelivery {
  const { count, listed } = listIssues(catalogue[kind].schema, data);
  return {
    stage: 'rejected',
    delivery,
    reason: 'invalid',
    kind,
    message: `The data does not fit ${kind}: ${count}`,
    issues: listed,
  };
}

/** Two such numbers are told apart by nothing that reads them, so they would be repeats of each other. */
function overflowing(delivery: VerifiedDelivery, kind: string, path: string): RejectedDelivery {
  return {
    stage: 'rejected',
    delivery,
    reason: 'invalid',
    kind,
    message: `The data of ${kind} holds a number that is too large`,
    issues: [{ path, message: 'expected a number that a double can hold, up to 1.7976931348623157e308' }],
  };
}

function unrecognized(delivery: VerifiedDelivery, kind: string, data: JsonValue): ParsedEvent {
  return { stage: 'parsed', delivery, kind, flags: ['unrecognized'], recognized: false, data };
}

function malformed(delivery: VerifiedDelivery, message: string, kind: string | null): RejectedDelivery {
  return { stage: 'rejected', delivery, reason: 'malformed', kind, message, issues: [] };
}
