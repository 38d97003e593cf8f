/** Finds the stored events that arriving ones may repeat. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { ArrivedEvent } from '../../shared/events/arrival.ts';
import { digestKey, type HasContent, type RepeatableEvent } from '../../shared/events/verdict.ts';
import type { Keyed } from '../../shared/privacy/erased-marks.ts';
import { unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { isOfDays } from './content-days.ts';
import type { LockedSubject } from './subjects.ts';

/** What names the content of an arriving event, and its subject. */
export interface ContentAt {
  readonly event: Pick<ArrivedEvent, 'digest' | 'messageDigest'>;
  readonly subject: Pick<LockedSubject, 'id' | 'erased' | 'isNew'>;
}

/** An arriving event, and its locked subject. */
export interface ArrivalAt extends ContentAt {
  readonly event: ArrivedEvent;
}

const columns = sql`events.id, events.digest, events.kind, events.recognized, events.verdict`;

/**
 * Finds the newest event with the content of each arrival, erased ones included. The content names the subject, so
 * a new subject has none.
 *
 * @returns for each arrival its event
 */
export async function newestOfContents(
  session: Session,
  arrivals: readonly ContentAt[],
  keyed: Keyed,
): Promise<readonly (RepeatableEvent | undefined)[]> {
  const wanted = arrivals.flatMap(({ event: { digest }, subject }, at) => {
    if (subject.isNew) return [];
    const own = { at, subjectId: subject.id, digest, erased: false };
    return subject.erased === 0 ? [own] : [own, { ...own, digest: keyed.digest(digest), erased: true }];
  });
  if (wanted.length === 0) return [];
  const rows = await session.rows(sql<RepeatableEvent & { n: number }>`
    select n, ${columns}
    from ${unnestOf('wanted', wanted, {
      subject_id: ['bigint', ({ subjectId }) => subjectId],
      key: ['bigint', ({ digest }) => digestKey(digest)],
      digest: ['bytea', ({ digest }) => digest],
      n: 'place',
    })}
    cross join lateral (
      select * from events
      where events.subject_id = wanted.subject_id and events.digest_key = wanted.key
        and events.digest = wanted.digest
      order by events.subject_id, events.digest_key, events.id desc
      limit 1
    ) as events`);
  const found: (RepeatableEvent | undefined)[] = [];
  // The content itself goes before what it has become by an erasure.
  for (const erased of [true, false]) {
    for (const { n, ...event } of rows) {
      const of = wanted[n - 1];
      if (of?.erased === erased) found[of.at] = event;
    }
  }
  return found;
}

/** Finds the event with the message id of each arrival, of any subject. */
export async function eventsOfMessages(
  session: Session,
  arrivals: readonly Pick<ContentAt, 'event'>[],
): Promise<readonly (RepeatableEvent | undefined)[]> {
  const wanted = arrivals.flatMap(({ event: { messageDigest } }, at) =>
    messageDigest === null ? [] : [{ at, digest: messageDigest }],
  );
  if (wanted.length === 0) return [];
  const rows = await session.rows(sql<RepeatableEvent & { n: number }>`
    select n, ${columns}
    from ${unnestOf('wanted', wanted, {
      key: ['bigint', ({ digest }) => digestKey(digest)],
      digest: ['bytea', ({ digest }) => digest],
      n: 'place',
    })}
    join events on events.message_key = wanted.key and events.message_digest = wanted.digest`);
  const found: (RepeatableEvent | undefined)[] = [];
  for (const { n, ...event } of rows) found[wanted[n - 1]?.at ?? 0] = event;
  return found;
}

/**
 * Finds the events of which the arrivals are copies: received in the same millisecond with the same bytes, or erased
 * of them; of a pruned one, the content decides.
 */
export async function originalsOf(
  session: Session,
  arrivals: readonly (ArrivalAt & { readonly copied: boolean })[],
  keyed: Keyed,
): Promise<readonly (number | undefined)[]> {
  const wanted = arrivals.flatMap(({ event, subject, copied }, at) =>
    copied && !subject.isNew ? [{ at, event, subject }] : [],
  );
  if (wanted.length === 0) return [];
  const times = wanted.map(({ event }) => event.delivery.receivedAt);
  const rows = await session.rows(sql<{ n: number; id: number }>`
    select n, original.id
    from ${unnestOf('wanted', wanted, {
      subject_id: ['bigint', ({ subject }) => subject.id],
      digest: ['bytea', ({ event }) => event.digest],
      keyed_digest: ['bytea', ({ event }) => keyed.digest(event.digest)],
      received_at: ['bigint', ({ event }) => event.delivery.receivedAt],
      body: ['bytea', ({ event }) => bodyDigest(event.delivery.body)],
      n: 'place',
    })}
    cross join lateral (
      select events.id, events.digest, events.flags, sha256(contents.body) as body
      from events
      left join event_contents as contents
        on contents.event_id = events.id and contents.received_at = events.received_at
        and ${isOfDays('contents.received_at', times)}
      where events.subject_id = wanted.subject_id and events.received_at = wanted.received_at
    ) as original
    where (original.digest = wanted.digest and (original.body is null or original.body = wanted.body))
      or (original.flags like '%"erased"%' and (original.digest = wanted.keyed_digest or original.body = wanted.body))
    order by original.id`);
  const found: (number | undefined)[] = [];
  for (const { n, id } of rows) found[wanted[n - 1]?.at ?? 0] = id;
  return found;
}

/** Tells whether the content of a stored event has a digest, or had it before it was erased. */
export function hasContentOf(keyed: Keyed): HasContent {
  return ({ digest: stored }, digest) =>
    Buffer.compare(digest, stored) === 0 || Buffer.compare(keyed.digest(digest), stored) === 0;
}

/** Returns the digest by which bodies are compared. */
export function bodyDigest(body: Uint8Array): Uint8Array {
  return createHash('sha256').update(body).digest();
}
