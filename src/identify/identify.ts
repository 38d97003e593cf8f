/** Computes the identity of an event, since the sender gives it none. */
import { hash } from 'node:crypto';
import type { Contract } from '../contract/contract.ts';
import type { IdentifiedEvent, ParsedEvent } from '../event/event.ts';
import { canonicalBytes } from '../kernel/json/canonical-json.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { subjectOf } from './subject-of.ts';

/** Identifies an event: its digests, its subject, and its version among the subject's events. */
export type Identify = (event: ParsedEvent) => IdentifiedEvent;

/** Creates the identification by a contract. */
export function createIdentify(contract: Contract): Identify {
  return (event) => identify(event, contract);
}

function identify(event: ParsedEvent, contract: Contract): IdentifiedEvent {
  const { source, messageId, messageIdTrusted } = event.delivery;
  const digest = contentDigest(event);
  const messageDigest =
    messageId === null || !messageIdTrusted ? null : sha256({ source, message_id: messageId });
  return {
    stage: 'identified',
    parsed: event,
    subject: subjectOf(event, { digest, messageDigest }, contract),
    digest,
    messageDigest,
    version: versionOf(event, contract),
  };
}

/**
 * Returns the version that orders an event among its subject's events. Versions are compared as plain strings.
 * Null for kinds without a version, and for unrecognized kinds, whose fields are unknown.
 */
export function versionOf(event: ParsedEvent, contract: Contract): string | null {
  if (!event.recognized) return null;
  return contract.find(event.delivery.source, event.kind)?.version(event.data) ?? null;
}

/**
 * Equal for events of the same source, kind and data, whatever their key order, white space, escapes or
 * spelling of numbers. Numbers count as doubles: beyond 2^53 neighbours are equal. The contract rejects such
 * ids, and the parser rejects numbers that no double can hold.
 */
function contentDigest(event: ParsedEvent): Uint8Array {
  return sha256({ source: event.delivery.source, type: event.kind, data: event.data });
}

function sha256(value: JsonValue): Uint8Array {
  // A string between avoids a separate 32-byte ArrayBuffer, which is slow to allocate and to collect.
  return Buffer.from(hash('sha256', canonicalBytes(value), 'binary'), 'binary');
}
