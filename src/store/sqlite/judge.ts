import type { Verdict } from '../../event/stored-event.ts';
import type { ArrivedEvent } from './arrival.ts';
import { sameDigest } from './digest-key.ts';

/** The newest stored event with the digest of the one that arrives. */
export interface KnownEvent {
  readonly id: number;
  readonly content_digest: Uint8Array | null;
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

/**
 * How an arriving event stands to what is stored. `known` and `subject` are
 * undefined when there is none.
 */
export function judge<Known extends KnownEvent>(
  event: Pick<ArrivedEvent, 'contentDigest' | 'version'>,
  known: Known | undefined,
  subject: KnownSubject | undefined,
): Judgement<Known> {
  if (known === undefined) {
    return { is: 'event', verdict: isOlder(event.version, subject) ? 'stale' : 'new' };
  }
  if (event.contentDigest !== null) {
    // The sender's id says that it is the same message, whatever came since.
    return sameDigest(event.contentDigest, known.content_digest)
      ? { is: 'repeat', of: known }
      : { is: 'conflict', with: known };
  }
  if (event.version !== null || known.id === subject?.latest_event) return { is: 'repeat', of: known };
  // Content that was left and comes back: without a version nothing tells a
  // late redelivery from a real return.
  return { is: 'event', verdict: 'ambiguous' };
}

function isOlder(version: string | null, subject: KnownSubject | undefined): boolean {
  const latest = subject?.latest_version ?? null;
  return version !== null && latest !== null && version < latest;
}
