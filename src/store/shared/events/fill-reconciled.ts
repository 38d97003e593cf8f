/** Gives a reconciled event the content of the webhook that it stands for. */
import { sql, type RawBuilder } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { Filling } from '../../inbox.ts';
import type { NewDelivery } from '../deliveries/new-delivery.ts';
import type { ErasureParts } from '../privacy/erased-marks.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { numberOf } from '../sql/dialect.ts';
import { first, run, type Write } from '../sql/statements.ts';
import type { ArrivedEvent } from './arrival.ts';
import type { RecognitionParts } from './recognize.ts';
import { digestKey, skipReason } from './verdict.ts';

interface FilledRow {
  readonly latest_event: number | null;
  readonly verdict: Verdict;
  readonly flags: string;
  readonly unrepeated: number;
}

/** Reconciled events that no webhook has repeated. */
const isUnrepeated = sql`events.flags like '%"reconciled"%'
  and not exists (select 1 from event_repeats where event_repeats.event_id = events.id)`;

/** The newest reconciled event of a subject that no webhook has repeated, other than one. */
export function newestUnrepeated(subject: RawBuilder<number>, other: RawBuilder<number>) {
  return sql<number | null>`(
    select max(events.id) from events
    where events.subject_id = ${subject} and events.id <> ${other} and ${isUnrepeated})`;
}

export function createFillReconciled(
  { dialect, ids, clock }: SharedConnection,
  {
    tableOf,
    isRow,
    keyed,
    enqueue,
  }: Pick<ErasureParts, 'tableOf' | 'isRow' | 'keyed'> & Pick<RecognitionParts, 'enqueue'>,
) {
  return {
    /** As in `Inbox`. */
    *fillReconciled(
      eventId: string,
      webhook: ArrivedEvent,
      { content, routes, overtaken }: Filling,
    ): Write<boolean> {
      const id = ids.eventRow(eventId) ?? 0;
      yield* dialect.keepContents();
      const { subject_id: subject } = (yield* first(
        sql<{ subject_id: number }>`select subject_id from events where id = ${id}`,
      )) ?? { subject_id: 0 };
      yield* dialect.lockSubjects([subject]);
      const row = yield* first(sql<FilledRow>`
        select verdict, flags, (select latest_event from subjects where subjects.id = subject_id) as latest_event,
          ${numberOf(isUnrepeated)} as unrepeated
        from events where id = ${id}`);
      if (row?.unrepeated !== 1 || (webhook.version === null && row.latest_event !== id)) return false;
      const deliveries = routes.map((route): NewDelivery => {
        const skip = skipReason(route, row.verdict, overtaken);
        const { handler, order } = route;
        const of = { eventId: id, subjectId: subject, handler, order, replayId: 0 };
        return skip === null ? of : { ...of, skip };
      });
      yield* enqueue(deliveries, clock.now());
      const flags = JSON.parse(row.flags) as EventFlag[];
      const isErased = flags.includes('erased');
      const { messageDigest, delivery } = webhook;
      const messageKey = messageDigest === null ? null : digestKey(messageDigest);
      const digest = isErased ? (yield* keyed()).digest(webhook.digest) : webhook.digest;
      yield* run(sql`
        update events set digest = ${digest}, digest_key = ${digestKey(digest)}, version = ${webhook.version},
          flags = ${JSON.stringify([...new Set([...flags, ...webhook.flags])])}
        where id = ${id}`);
      if (!isErased) {
        const contents = tableOf('event', 'body');
        yield* run(sql`
          update events set message_id = ${delivery.messageId}, message_key = ${messageKey}, message_digest = ${messageDigest}
          where id = ${id} and not exists (
            select 1 from events as other
            where other.message_key = ${messageKey} and other.message_digest = ${messageDigest}
          )`);
        yield* run(sql`
          update ${sql.table(contents)} set body = ${content}, headers = ${delivery.headers}
          where ${yield* isRow('event', contents, id)} and body is not null`);
      }
      // A remembered fold of the former content must not be used.
      yield* run(sql`
        update subjects set erased = erased + 1,
          latest_version = case when latest_version < ${webhook.version} then ${webhook.version} else latest_version end
        where id = ${subject}`);
      return true;
    },
  };
}
