/**
 * Inserts events with their bodies and headers, and counts repeats.
 *
 * The caller has locked the subjects. The lock of whoever draws numbers comes before the first number, and repeats are
 * counted in the order of their events. Columns and the form of the statements may change freely.
 */
import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { ArrivedEvent } from '../../shared/events/arrival.ts';
import { digestKey } from '../../shared/events/verdict.ts';
import { asOneStatement, insertOf, startsOf, unnestOf, sequenceOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { DRAWING_LOCKS } from '../sql/advisory-locks.ts';

/** An event to store. */
export interface NewEvent {
  readonly id: number;
  readonly event: ArrivedEvent;
  readonly subjectId: number;
  readonly verdict: Verdict;
  readonly flags: readonly EventFlag[];
}

export async function insertEvents(session: Session, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const bodies = events.map(({ event }) => event.delivery.body);
  const content = Buffer.concat(bodies);
  const starts = startsOf(bodies);
  const insertRows = insertOf('events', events, {
    id: ['bigint', ({ id }) => id],
    kind: ['text', ({ event }) => event.kind],
    recognized: ['smallint', ({ event }) => (event.recognized ? 1 : 0)],
    subject_id: ['bigint', ({ subjectId }) => subjectId],
    digest_key: ['bigint', ({ event }) => digestKey(event.digest)],
    digest: ['bytea', ({ event }) => event.digest],
    message_key: ['bigint', ({ event: { messageDigest } }) => messageDigest && digestKey(messageDigest)],
    message_digest: ['bytea', ({ event }) => event.messageDigest],
    version: ['text', ({ event }) => event.version],
    verdict: ['text', ({ verdict }) => verdict],
    flags: ['text', ({ flags }) => JSON.stringify(flags)],
    received_at: ['bigint', ({ event }) => event.delivery.receivedAt],
    message_id: ['text', ({ event }) => event.delivery.messageId],
  });
  // One parameter of bytes: in an array, they would travel as hexadecimal text.
  const insertContents = sql`
    insert into event_contents (event_id, received_at, headers, body)
    select id, received_at, headers, substring(${content}::bytea from starts for bytes)
    from ${unnestOf('contents', events, {
      id: ['bigint', ({ id }) => id],
      received_at: ['bigint', ({ event }) => event.delivery.receivedAt],
      headers: ['text', ({ event }) => event.delivery.headers],
      starts: ['integer', (_, index) => starts[index] ?? null],
      bytes: ['integer', ({ event }) => event.delivery.body.length],
    })}`;
  await session.run(asOneStatement([insertRows, insertContents]));
}

/** Repeats of a stored event. */
export interface Repeats {
  repeats: number;
  lastAt: number;
}

/** Counts repeats by the numbers of their events. */
export async function countRepeats(session: Session, byEvent: ReadonlyMap<number, Repeats>): Promise<void> {
  if (byEvent.size === 0) return;
  const sums = [...byEvent].toSorted(([one], [other]) => one - other);
  await session.run(sql`
    ${insertOf('event_repeats', sums, {
      event_id: ['bigint', ([id]) => id],
      repeats: ['bigint', ([, { repeats }]) => repeats],
      last_repeat_at: ['bigint', ([, { lastAt }]) => lastAt],
    })}
    on conflict (event_id) do update set
      repeats = event_repeats.repeats + excluded.repeats,
      last_repeat_at = greatest(event_repeats.last_repeat_at, excluded.last_repeat_at)`);
}

const sequence = sequenceOf('events');

/** Takes the lock of whoever draws numbers, and returns one row: a statement selects from it before it draws. */
export const drawingLock = sql`
  select pg_advisory_xact_lock_shared(${sql.lit(String(DRAWING_LOCKS))}::bigint + coalesce(pg_sequence_last_value(${sequence}), 0))`;

/** The next number of an event, for a statement that selects from {@link drawingLock}. */
export const nextEventNumber = sql<number>`nextval(${sequence})`;

/**
 * Draws the numbers of events. The caller has locked their subjects, so that a subject's events are numbered in the
 * order of their commits. Those of different subjects are not: {@link eventsCompleteThrough} tells up to which none is still to come.
 */
export async function drawEventNumbers(session: Session, count: number): Promise<readonly number[]> {
  if (count === 0) return [];
  // The lock comes before the first number.
  const drawn = await session.rows(sql<{ id: number }>`
    with locked as materialized (${drawingLock})
    select ${nextEventNumber} as id from locked, generate_series(1, ${count})`);
  return drawn.map(({ id }) => id);
}

/**
 * Returns a number up to which no event is still to come: every number up to it belongs to an event that later
 * statements see, or to none.
 */
export async function eventsCompleteThrough(session: Session): Promise<number> {
  // Read the sequence before the locks: a later drawer may lock after the lock list is read.
  const row = await session.first(sql<{ id: number }>`
    with drawn as materialized (select coalesce(pg_sequence_last_value(${sequence}), 0) as last)
    select least(drawn.last, running.before) as id from drawn, lateral (
      select min(((classid::bigint << 32) | objid::bigint) - ${String(DRAWING_LOCKS)}::bigint) as before from pg_locks
      where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 16 = ${Number(DRAWING_LOCKS >> 48n)}
        and database = (select oid from pg_database where datname = current_database()) and drawn.last >= 0
    ) as running`);
  return row?.id ?? 0;
}
