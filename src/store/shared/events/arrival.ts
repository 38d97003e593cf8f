/** Events and rejected deliveries in the form in which a store takes them. */
import type { EventFlag, IdentifiedEvent } from '../../../event/event.ts';
import type { RejectedDelivery, RejectionReason, VerifiedDelivery } from '../../../event/delivery.ts';
import type { Subject } from '../../../event/subject.ts';

/** The stored part of a delivery, common to events and quarantine entries. */
export interface ArrivedDelivery {
  readonly source: string;
  readonly senderVerified: boolean;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly messageId: string | null;
  /** A JSON string. */
  readonly headers: string;
  readonly body: Uint8Array;
}

/** The stored part of an event. Its data is in the body. */
export interface ArrivedEvent {
  readonly delivery: ArrivedDelivery;
  readonly kind: string;
  readonly recognized: boolean;
  readonly flags: readonly EventFlag[];
  readonly subject: Subject;
  readonly formerId: string | null;
  readonly digest: Uint8Array;
  /** Null unless the message id is trusted. */
  readonly messageDigest: Uint8Array | null;
  readonly version: string | null;
}

/** The stored part of a delivery that is not an event. */
export interface ArrivedRejection {
  readonly delivery: ArrivedDelivery;
  readonly messageIdTrusted: boolean;
  readonly reason: RejectionReason;
  readonly kind: string | null;
  /** `family:id`. */
  readonly subject: string | null;
  readonly message: string;
  /** A JSON string. */
  readonly issues: string;
}

export function arrivedEvent({ parsed, ...event }: IdentifiedEvent): ArrivedEvent {
  return {
    delivery: arrivedDelivery(parsed.delivery),
    kind: parsed.kind,
    recognized: parsed.recognized,
    flags: parsed.flags,
    subject: event.subject,
    formerId: event.formerId,
    digest: event.digest,
    messageDigest: event.messageDigest,
    version: event.version,
  };
}

export function arrivedRejection(rejected: RejectedDelivery): ArrivedRejection {
  return {
    delivery: arrivedDelivery(rejected.delivery),
    messageIdTrusted: rejected.delivery.messageIdTrusted,
    reason: rejected.reason,
    kind: rejected.kind,
    subject: rejected.subject,
    message: rejected.message,
    issues: JSON.stringify(rejected.issues),
  };
}

function arrivedDelivery(delivery: VerifiedDelivery): ArrivedDelivery {
  const { source, senderVerified, receivedAt, messageId, headers, body } = delivery;
  return { source, senderVerified, receivedAt, messageId, headers: headersJson(headers), body };
}

let last = { headers: {}, json: '{}' };

/** Caches the last result: the receiver passes the same object while a sender repeats its headers. */
function headersJson(headers: VerifiedDelivery['headers']): string {
  if (headers !== last.headers) last = { headers, json: JSON.stringify(headers) };
  return last.json;
}
