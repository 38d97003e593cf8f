/** Finds the stored event that an arriving one may repeat. */
import { Buffer } from 'node:buffer';
import type { Verdict } from '../../../event/stored-event.ts';
import { digestKey, type HasContent, type RepeatableEvent } from '../../shared/events/verdict.ts';
import type { Keyed } from '../privacy/keyed-digest.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** A subject, and how often an event of it was erased. */
export interface SubjectContent {
  readonly id: number;
  readonly erased: number;
}

export type Content = { subjectId: number; key: number; digest: Uint8Array };

/** Finds the stored events that an arriving one may repeat. */
export interface KnownEventRows {
  /** Finds the subject's newest event with this content, erased ones included. */
  newestOfContent(subject: SubjectContent, digest: Uint8Array): RepeatableEvent | undefined;
  readonly hasContent: HasContent;
  /** Finds the event with a message id, of any subject. */
  ofMessage(messageDigest: Uint8Array): RepeatableEvent | undefined;
}

export function createKnownEvents({ database, query }: Connection, keyed: Keyed) {
  const repeatable = query
    .selectFrom('events')
    .select(['id', 'digest', 'kind', 'recognized', 'verdict'])
    .$narrowType<{ verdict: Verdict }>()
    .orderBy('id', 'desc')
    .limit(1);
  const ofContent = (p: Named<Content>) =>
    repeatable
      .where('subject_id', '=', p.subjectId)
      .where('digest_key', '=', p.key)
      .where('digest', '=', p.digest);
  const newestOfContent = prepare(database, ofContent);
  const ofMessage = prepare(database, (p: Named<{ key: number; digest: Uint8Array }>) =>
    repeatable.where('message_key', '=', p.key).where('message_digest', '=', p.digest),
  );

  function newestErased(subjectId: number, content: Uint8Array): RepeatableEvent | undefined {
    const digest = keyed.digest(content);
    return newestOfContent.get({ subjectId, key: digestKey(digest), digest });
  }

  return {
    /** The newest event of a content, as a part of a query. */
    ofContent,
    newestOfContent: ({ id: subjectId, erased }, digest) =>
      newestOfContent.get({ subjectId, key: digestKey(digest), digest }) ??
      (erased > 0 ? newestErased(subjectId, digest) : undefined),
    hasContent: (event, digest) =>
      Buffer.compare(digest, event.digest) === 0 || Buffer.compare(keyed.digest(digest), event.digest) === 0,
    ofMessage: (digest) => ofMessage.get({ key: digestKey(digest), digest }),
  } satisfies KnownEventRows & { readonly ofContent: unknown };
}
