import type { EventFlag, IdentifiedEvent } from '../../../event/event.ts';
import type { RejectedDelivery, RejectionReason, VerifiedDelivery } from '../../../event/delivery.ts';
import type { Subject } from '../../../event/subject.ts';

/** What is stored of a delivery, whatever it turned out to be. */
export interface ArrivedDelivery {
  readonly source: string;
  readonly senderVerified: boolean;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly messageId: string | null;
  /** As JSON text. */
  readonly headers: string;
  readonly body: Uint8Array;
}

/** What is stored of an event. Its data is in the body. */
export interface ArrivedEvent {
  readonly delivery: ArrivedDelivery;
  readonly kind: string;
  readonly recognized: boolean;
  readonly flags: readonly EventFlag[];
  readonly subject: Subject;
  readonly digest: Uint8Array;
  readonly messageDigest: Uint8Array | null;
  readonly version: string | null;
}

/** What is stored of a delivery that is no event. */
export interface ArrivedRejection {
  readonly delivery: ArrivedDelivery;
  /** Of an event its digest tells. */
  readonly messageIdTrusted: boolean;
  readonly reason: RejectionReason;
  readonly kind: string | null;
  readonly message: string;
  /** As JSON text. */
  readonly issues: string;
}

export function arrivedEvent({ parsed, ...event }: IdentifiedEvent): ArrivedEvent {
  return {
    delivery: arrivedDelivery(parsed.delivery),
    kind: parsed.kind,
    recognized: parsed.recognized,
    flags: parsed.flags,
    subject: event.subject,
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
    message: rejected.message,
    issues: JSON.stringify(rejected.issues),
  };
}

function arrivedDelivery({
  source,
  senderVerified,
  receivedAt,
  messageId,
  headers,
  body,
}: VerifiedDelivery): ArrivedDelivery {
  return { source, senderVerified, receivedAt, messageId, headers: jsonOf(headers), body };
}

let last = { headers: {}, json: '{}' };

/** Senders send the same headers again and again, and who keeps them then gives the same object. */
function jsonOf(headers: VerifiedDelivery['headers']): string {
  if (headers !== last.headers) last = { headers, json: JSON.stringify(headers) };
  return last.json;
}
