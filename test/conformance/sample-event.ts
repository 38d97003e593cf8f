import { createHash } from 'node:crypto';
import type { EventFlag, IdentifiedEvent } from '../../src/event/event.ts';
import type { RejectedDelivery, RejectionReason, VerifiedDelivery } from '../../src/event/delivery.ts';
import { parseSubjectName } from '../../src/event/subject.ts';
import type { UndecidedEvent } from '../../src/store/plans.ts';
import type { Route } from '../../src/store/route.ts';
import { verifiedDelivery } from '../support/verified-delivery.ts';

/** The members of an event that matter to a test. Two events of the same subject and content are repeats. */
export interface EventSketch {
  readonly source?: string;
  readonly senderVerified?: boolean;
  readonly kind?: string;
  readonly recognized?: boolean;
  /** `family:id`. */
  readonly subject?: string;
  readonly content?: string;
  readonly formerId?: string;
  readonly version?: string | null;
  readonly messageId?: string;
  /** True by default for an event with a message id. */
  readonly messageIdTrusted?: boolean;
  readonly flags?: readonly EventFlag[];
  readonly receivedAt?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Builds an event as the receiver passes it to the store. */
export function sampleEvent(sketch: EventSketch = {}): IdentifiedEvent {
  const { kind = 'company.updated', recognized = true, content = 'some', messageId } = sketch;
  const name = sketch.subject ?? 'company:1';
  const subject = parseSubjectName(name);
  if (subject === undefined) throw new TypeError(`not a subject: ${name}`);
  const delivery = sampleDelivery({
    ...sketch,
    body: sketch.body ?? bytes(JSON.stringify({ type: kind, data: { id: subject.id, content } })),
  });
  return {
    stage: 'identified',
    parsed: {
      stage: 'parsed',
      delivery,
      kind,
      flags: sketch.flags ?? [],
      recognized,
      data: { id: subject.id, content },
    },
    subject,
    formerId: sketch.formerId ?? null,
    digest: sha256(delivery.source, kind, name, content),
    messageDigest:
      messageId === undefined || !delivery.messageIdTrusted
        ? null
        : sha256(delivery.source, 'message', messageId),
    version: sketch.version ?? null,
  };
}

/** The same event as a prediction gets it. */
export function undecidedEvent(sketch: EventSketch = {}): UndecidedEvent {
  const { parsed, ...event } = sampleEvent(sketch);
  return { source: parsed.delivery.source, recognized: parsed.recognized, ...event };
}

function sampleDelivery(sketch: EventSketch = {}): VerifiedDelivery {
  return verifiedDelivery(sketch.body ?? '{}', {
    source: sketch.source ?? 'default',
    senderVerified: sketch.senderVerified ?? true,
    receivedAt: sketch.receivedAt ?? Date.UTC(2026, 0, 1),
    headers: sketch.headers ?? { 'content-type': 'application/json' },
    messageId: sketch.messageId ?? null,
    messageIdTrusted: sketch.messageIdTrusted ?? sketch.messageId !== undefined,
  });
}

export function sampleRejection(
  sketch: EventSketch & { readonly reason?: RejectionReason } = {},
): RejectedDelivery {
  return {
    stage: 'rejected',
    delivery: sampleDelivery(sketch),
    reason: sketch.reason ?? 'invalid',
    kind: sketch.kind ?? 'company.updated',
    subject: sketch.subject ?? null,
    message: 'does not fit',
    issues: [{ path: 'data.id', message: 'is missing' }],
  };
}

/** A route of a handler in subject order by default. */
export function route(handler: string, more: Partial<Route> = {}): Route {
  return { handler, order: 'subject', stale: false, ...more };
}

export function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

function sha256(...parts: readonly string[]): Uint8Array {
  return new Uint8Array(createHash('sha256').update(JSON.stringify(parts)).digest());
}
