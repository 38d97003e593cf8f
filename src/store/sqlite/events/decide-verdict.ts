import type { Verdict } from '../../../event/stored-event.ts';
import type { ArrivedEvent } from './arrival.ts';
import { sameDigest } from './digest-key.ts';

/** A stored event that the one that arrives may repeat. */
export interface KnownEvent {
  readonly id: number;
  readonly digest: Uint8Array;
}

/** What is known of an event when it arrives. */
export interface KnownEvents<Known extends KnownEvent> {
  /** The event that came with its message id. */
  readonly ofMessage: Known | undefined;
  /** The subject's newest event of its content; not looked for when there is one of its message id. */
  readonly ofContent: Known | undefined;
}

/** The subject's row before the event. */
export interface KnownSubject {
  readonly latest_event: number | null;
  readonly latest_version: string | null;
}

export type Judgement<Known extends KnownEvent> =
  | { readonly is: 'event'; readonly verdict: Verdict }
  | { readonly is: 'repeat'; readonly of: Known }
  /** A message id used again for another content. */
  | { readonly is: 'conflict'; readonly with: Known };

/** How an arriving event stands to what is stored. `subject` is undefined when there is none. */
export function judge<Known extends KnownEvent>(
  event: Pick<ArrivedEvent, 'digest' | 'messageDigest' | 'recognized' | 'version'>,
  { ofMessage, ofContent }: KnownEvents<Known>,
  subject: KnownSubject | undefined,
): Judgement<Known> {
  if (ofMessage !== undefined) {
    // The sender's id says that it is the same message, whatever came since.
    return sameDigest(event.digest, ofMessage.digest)
      ? { is: 'repeat', of: ofMessage }
      : { is: 'conflict', with: ofMessage };
  }
  if (ofContent === undefined) {
    return { is: 'event', verdict: isOlder(event.version, subject) ? 'stale' : 'new' };
  }
  // Of a kind that nobody knows, each message may say something, whatever is in it.
  if (event.messageDigest !== null && !event.recognized) return { is: 'event', verdict: 'new' };
  // A record as it is known already tells nothing, whoever gave it a new message id on its way.
  if (event.version !== null || ofContent.id === subject?.latest_event)
    return { is: 'repeat', of: ofContent };
  // Content that was left and comes back: a real return, if its sender says that it is another message.
  // Without that, nothing tells it from a late redelivery.
  return { is: 'event', verdict: event.messageDigest === null ? 'ambiguous' : 'new' };
}

function isOlder(version: string | null, subject: KnownSubject | undefined): boolean {
  const latest = subject?.latest_version ?? null;
  return version !== null && latest !== null && version < latest;
}
