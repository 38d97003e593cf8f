/** Reads and writes rows of `events` for accepting. Called inside a transaction. */
import { sql } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { ArrivedEvent } from '../../shared/events/arrival.ts';
import type { Keyed } from '../privacy/keyed-digest.ts';
import type { Connection } from '../sql/connection.ts';
import { digestKey, type RepeatableEvent } from '../../shared/events/verdict.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { createKnownEvents, type Content, type KnownEventRows, type SubjectContent } from './known-events.ts';

export interface EventRows extends KnownEventRows {
  /**
   * Finds the subject's event received in the same millisecond with the same bytes, or erased of them;
   * of a pruned one, the content decides.
   */
  receivedAs(subject: SubjectContent, event: ArrivedEvent): number | undefined;
  insert(event: ArrivedEvent, subjectId: number, verdict: Verdict, flags: readonly EventFlag[]): number;
  countRepeat(event: RepeatableEvent, at: number): void;
  subjectOf(id: number): number | undefined;
}

export function createEventRows(
  connection: Connection,
  counts: Pick<RowCounts, 'eventStored' | 'eventRepeated'>,
  keyed: Keyed,
): EventRows {
  const { database, query } = connection;
  type Received = { subjectId: number; receivedAt: number; digest: Uint8Array; body: Uint8Array };
  const { ofContent, ...known } = createKnownEvents(connection, keyed);
  const receivedAs = prepare(database, (p: Named<Content & { receivedAt: number; body: Uint8Array }>) =>
    ofContent(p)
      .where('received_at', '=', p.receivedAt)
      .where((eb) => eb.or([eb('body', '=', p.body), eb('body', 'is', null)])),
  );
  // The original of an erased event, or the erased event itself from a later export.
  const erasedAs = prepare(database, (p: Named<Received>) =>
    query
      .selectFrom('events')
      .select('id')
      .where('subject_id', '=', p.subjectId)
      .where('received_at', '=', p.receivedAt)
      .where('flags', 'like', sql.lit('%"erased"%'))
      .where((eb) => eb.or([eb('digest', '=', p.digest), eb('body', '=', p.body)]))
      .limit(1),
  );
  const insert = prepare(database, (p: Named<Row>) =>
    query.insertInto('events').values({
      kind: p.kind,
      recognized: p.recognized,
      subject_id: p.subjectId,
      digest_key: p.digestKey,
      digest: p.digest,
      message_key: p.messageKey,
      message_digest: p.messageDigest,
      version: p.version,
      verdict: p.verdict,
      flags: p.flags,
      received_at: p.receivedAt,
      message_id: p.messageId,
      headers: p.headers,
      body: p.body,
    }),
  );
  const countRepeat = prepare(database, (p: Named<{ id: number; at: number }>) =>
    query
      .insertInto('event_repeats')
      .values({ event_id: p.id, repeats: 1, last_repeat_at: p.at })
      .onConflict((conflict) =>
        conflict.column('event_id').doUpdateSet((eb) => ({
          repeats: eb('event_repeats.repeats', '+', 1),
          last_repeat_at: eb.fn<number>('max', ['event_repeats.last_repeat_at', 'excluded.last_repeat_at']),
        })),
      ),
  );
  const subjectOf = prepare(database, (p: Named<{ id: number }>) =>
    query.selectFrom('events').select('subject_id').where('id', '=', p.id),
  );

  return {
    ...known,
    receivedAs({ id: subjectId, erased }, { digest, delivery: { receivedAt, body } }) {
      const content = { subjectId, receivedAt, body };
      const found = receivedAs.get({ ...content, key: digestKey(digest), digest });
      if (found !== undefined || erased === 0) return found?.id;
      return erasedAs.get({ ...content, digest: keyed.digest(digest) })?.id;
    },
    insert(event, subjectId, verdict, flags) {
      const { delivery } = event;
      const recognized = event.recognized ? 1 : 0;
      counts.eventStored({ kind: event.kind, recognized, verdict }, delivery.receivedAt);
      const row = insert.run({
        kind: event.kind,
        recognized,
        verdict,
        subjectId,
        digestKey: digestKey(event.digest),
        digest: event.digest,
        messageKey: event.messageDigest === null ? null : digestKey(event.messageDigest),
        messageDigest: event.messageDigest,
        version: event.version,
        flags: JSON.stringify(flags),
        receivedAt: delivery.receivedAt,
        messageId: delivery.messageId,
        headers: delivery.headers,
        body: delivery.body,
      });
      return Number(row.lastInsertRowid);
    },
    countRepeat(event, at) {
      countRepeat.run({ id: event.id, at });
      counts.eventRepeated(event);
    },
    subjectOf: (id) => subjectOf.get({ id })?.subject_id,
  };
}

interface Row {
  kind: string;
  recognized: number;
  subjectId: number;
  digestKey: number;
  digest: Uint8Array;
  messageKey: number | null;
  messageDigest: Uint8Array | null;
  version: string | null;
  verdict: Verdict;
  flags: string;
  receivedAt: number;
  messageId: string | null;
  headers: string;
  body: Uint8Array;
}
