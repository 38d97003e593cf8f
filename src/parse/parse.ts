import { catalogue, isEventKind, type EventKind } from '../contract/catalogue.ts';
import { hasValidCheckDigits } from '../contract/check-digits.ts';
import { matchesKind } from '../contract/compile-check.ts';
import { findIssues, issuePath } from '../contract/find-issues.ts';
import type { ParseIssue, RejectedDelivery, VerifiedDelivery } from '../event/delivery.ts';
import type { ParsedEvent } from '../event/event.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { findOverflow } from './find-overflow.ts';
import { readEnvelope } from './read-envelope.ts';
import { readJson } from './read-json.ts';

/**
 * Parses the body of a delivery into an event, or into the reasons for its rejection. Never throws.
 *
 * The event has the data that JSON.parse made, not the schema's copy: known fields are unchanged, and unknown
 * fields are kept.
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

function unrecognized(delivery: VerifiedDelivery, kind: string, data: JsonValue): ParsedEvent {
  return { stage: 'parsed', delivery, kind, flags: ['unrecognized'], recognized: false, data };
}

function malformed(delivery: VerifiedDelivery, message: string, kind: string | null): RejectedDelivery {
  return { stage: 'rejected', delivery, reason: 'malformed', kind, message, issues: [] };
}

/** The issues that a rejection lists. The message counts all of them. */
const MAX_LISTED = 20;
/** The issues that are searched for. */
const MAX_COUNTED = 100;

function invalid(delivery: VerifiedDelivery, kind: EventKind, data: JsonValue): RejectedDelivery {
  const found = findIssues(catalogue[kind].schema, data, MAX_COUNTED + 1);
  const message = `The data does not match ${kind}: ${countText(found.length)}`;
  const issues: readonly ParseIssue[] = found
    .slice(0, MAX_LISTED)
    .map(({ path, message }) => ({ path: issuePath(path, 'data'), message }));
  return { stage: 'rejected', delivery, reason: 'invalid', kind, message, issues };
}

function countText(count: number): string {
  if (count > MAX_COUNTED) return `more than ${String(MAX_COUNTED)} issues`;
  return `${String(count)} ${count === 1 ? 'issue' : 'issues'}`;
}

/** Infinity replaces every such number, so two different events would look like repeats. */
function overflowing(delivery: VerifiedDelivery, kind: string, path: string): RejectedDelivery {
  return {
    stage: 'rejected',
    delivery,
    reason: 'invalid',
    kind,
    message: `The data of ${kind} contains a number that is too large`,
    issues: [{ path, message: 'expected a number that a double can hold, up to 1.7976931348623157e308' }],
  };
}
