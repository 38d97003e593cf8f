import type { IdentifiedEvent } from '../event/identified-event.ts';
import type { ParsedEvent } from '../event/parsed-event.ts';
import { contentDigest, messageDigest } from './digest.ts';
import { subjectOf } from './subject-of.ts';
import { versionOf } from './version-of.ts';

/** What tells an event from every other, and orders it among its subject's. Pure. */
export function identify(event: ParsedEvent): IdentifiedEvent {
  const { source, messageId, messageIdTrusted } = event.delivery;
  const digest = contentDigest(event);
  const ofMessage = messageId === null || !messageIdTrusted ? null : messageDigest(source, messageId);
  return {
    stage: 'identified',
    parsed: event,
    subject: subjectOf(event, { digest, messageDigest: ofMessage }),
    digest,
    messageDigest: ofMessage,
    version: versionOf(event),
  };
}
