import { hash } from 'node:crypto';
import type { ParsedEvent } from '../event/parsed-event.ts';
import { canonicalBytes } from '../kernel/json/canonical-json.ts';
import type { JsonValue } from '../kernel/json/json.ts';

/**
 * 32 bytes that two events share when they say the same: same source, same
 * kind, same data, whatever the key order, white space, escapes or spelling of
 * numbers they arrived with. Numbers count as the doubles they are read as, so
 * beyond 2^53 neighbours are one; ids of the contract are refused there, and
 * what no double can hold is refused everywhere.
 */
export function contentDigest(event: ParsedEvent): Uint8Array {
  return sha256({ source: event.delivery.source, type: event.kind, data: event.data });
}

/** 32 bytes for a message that its sender gave an id; ids of different sources never mix. */
export function messageDigest(source: string, messageId: string): Uint8Array {
  return sha256({ source, message_id: messageId });
}

function sha256(value: JsonValue): Uint8Array {
  // By way of a string: memory of its own for 32 bytes is dear to make and to collect.
  return Buffer.from(hash('sha256', canonicalBytes(value), 'binary'), 'binary');
}
