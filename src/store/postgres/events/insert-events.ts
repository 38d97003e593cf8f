import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { ArrivedEvent } from '../../rows/events/arrival.ts';
import { digestKey } from '../../rows/events/verdict.ts';
import { arrayOf, columnsOf, startsOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

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
  const column = columnsOf(events);
  const ids = column(({ id }) => id, 'bigint');
  const times = column(({ event }) => event.delivery.receivedAt, 'bigint');
  const bodies = events.map(({ event }) => event.delivery.body);
  // Before the first statement: nothing may fail between two that nobody waits for.
  const content = Buffer.concat(bodies);
  const stored = session.run(sql`
    insert into events (
      id, kind, recognized, subject_id, digest_key, digest, message_key, message_digest, version, verdict, flags,
      received_at, message_id
    )
    select * from unnest(
      ${ids},
      ${column(({ event }) => event.kind, 'text')},
      ${column(({ event }) => (event.recognized ? 1 : 0), 'smallint')},
      ${column(({ subjectId }) => subjectId, 'bigint')},
      ${column(({ event }) => digestKey(event.digest), 'bigint')},
      ${column(({ event }) => event.digest, 'bytea')},
      ${column(({ event }) => (event.messageDigest === null ? null : digestKey(event.messageDigest)), 'bigint')},
      ${column(({ event }) => event.messageDigest, 'bytea')},
      ${column(({ event }) => event.version, 'text')},
      ${column(({ verdict }) => verdict, 'text')},
      ${column(({ flags }) => JSON.stringify(flags), 'text')},
      ${times},
      ${column(({ event }) => event.delivery.messageId, 'text')}
    )`);
  // One parameter of bytes: in an array, they would travel as hexadecimal text.
  const contents = session.run(sql`
    insert into event_contents (event_id, received_at, headers, body)
    select id, received_at, headers, substring(${content}::bytea from starts for bytes)
    from unnest(
      ${ids},
      ${times},
      ${column(({ event }) => event.delivery.headers, 'text')},
      ${arrayOf(startsOf(bodies), 'integer')},
      ${arrayOf(
        bodies.map(({ length }) => length),
        'integer',
      )}
    ) as contents (id, received_at, headers, starts, bytes)`);
  await Promise.all([stored, contents]);
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
    insert into event_repeats (event_id, repeats, last_repeat_at)
    select * from unnest(
      ${arrayOf(
        sums.map(([id]) => id),
        'bigint',
      )},
      ${arrayOf(
        sums.map(([, { repeats }]) => repeats),
        'bigint',
      )},
      ${arrayOf(
        sums.map(([, { lastAt }]) => lastAt),
        'bigint',
      )}
    )
    on conflict (event_id) do update set
      repeats = event_repeats.repeats + excluded.repeats, last_repeat_at = excluded.last_repeat_at`);
}
