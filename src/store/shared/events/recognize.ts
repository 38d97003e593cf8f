/** Makes an event that came before its kind was defined one of its kind. */
import { sql } from 'kysely';
import type { EventFlag, IdentifiedEvent } from '../../../event/event.ts';
import { subjectName, type Subject } from '../../../event/subject.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { AcceptOptions, Recognition } from '../../inbox.ts';
import type { Route } from '../../route.ts';
import type { NewDelivery } from '../deliveries/new-delivery.ts';
import { subjectIsHeld } from '../privacy/hold-conditions.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { numberOf } from '../sql/dialect.ts';
import { first, rows, run, type Write } from '../sql/statements.ts';
import { arrivedEvent, type ArrivedEvent } from './arrival.ts';
import { notSuperseded } from './event-conditions.ts';
import {
  decide,
  digestKey,
  flagsOf,
  isOlder,
  skipReason,
  type RepeatableEvent,
  type SubjectRow,
} from './verdict.ts';

/** What each database does in its own way when an event is recognized. */
export interface RecognitionParts {
  /** Finds the subject of an event, or inserts it, and locks it with the lanes of these routes. */
  subjectOf(event: ArrivedEvent, routes: readonly Route[]): Write<SubjectRow>;
  /** Stores deliveries of a locked subject that are not stored yet, and returns of each whether it waits in its lane. */
  enqueue(deliveries: readonly NewDelivery[], now: number): Write<readonly boolean[]>;
  /** Counts the event as recognized. */
  recognized(event: ArrivedEvent, verdicts: Record<'from' | 'to', Verdict>): Write<void>;
}

interface FormerEvent extends Subject {
  readonly subject_id: number;
  readonly verdict: Verdict;
  readonly flags: string;
  readonly held: number;
  readonly waiting: number;
}

export function createRecognize({ dialect, ids, clock }: SharedConnection, parts: RecognitionParts) {
  return {
    /** Recognizes an event, as in `Recognitions`. */
    *recognize(
      eventId: string,
      identified: IdentifiedEvent,
      routes: readonly Route[],
      overtaken: AcceptOptions['overtaken'] = [],
    ): Write<Recognition> {
      const id = ids.eventRow(eventId) ?? 0;
      const event = arrivedEvent(identified);
      const found = yield* first(sql<{ subject_id: number }>`select subject_id from events where id = ${id}`);
      // A repeat or an erasure of the event waits for the end of the transaction.
      if (found !== undefined) yield* dialect.lockSubjects([found.subject_id]);
      const former = yield* first(sql<FormerEvent>`
        select subject_id, family, entity as id, verdict, flags, ${numberOf(subjectIsHeld)} as held, ${numberOf(
          sql`exists (select 1 from deliveries where event_id = events.id and finished_at is null)`,
        )} as waiting
        from events join subjects on subjects.id = events.subject_id
        where events.id = ${id} and recognized = 0`);
      if (former === undefined)
        throw new PortariaError('not-found', `there is no unrecognized event ${eventId}`);
      const known = JSON.parse(former.flags) as EventFlag[];
      if (known.includes('erased')) return { status: 'erased' };
      const moves = subjectName(former) !== subjectName(event.subject);
      if (moves && former.held === 1) return { status: 'held' };
      if (moves && former.waiting === 1) return { status: 'waiting' };

      const subject = yield* parts.subjectOf(event, routes);
      const verdict = yield* verdictThen(id, event, subject);
      if (verdict === null) return { status: 'duplicate' };
      const kept = known.filter((flag) => flag !== 'unrecognized' && flag !== 'ambiguous');
      const flags = flagsOf({ ...event, flags: [...kept, ...event.flags] }, verdict, false);
      yield* run(sql`
        update events set recognized = 1, subject_id = ${subject.id}, version = ${event.version},
          verdict = ${verdict}, flags = ${JSON.stringify(flags)}
        where id = ${id}`);
      yield* keepLatest([former.subject_id, subject.id]);
      yield* run(sql`
        update received_counts set recognized = 1
        where source = ${event.delivery.source} and kind = ${event.kind}`);
      yield* parts.recognized(event, { from: former.verdict, to: verdict });
      // What is older than the latest version by now is stale for the handlers, whatever it was when it came.
      const now = isOlder(event.version, subject.latest_version) ? 'stale' : verdict;
      const deliveries = routes.map((route): NewDelivery => {
        const skip = skipReason(route, now, overtaken);
        const { handler, order } = route;
        const of = { eventId: id, subjectId: subject.id, handler, order, replayId: 0 };
        return skip === null ? of : { ...of, skip };
      });
      const waits = yield* parts.enqueue(deliveries, clock.now());
      return { status: 'recognized', verdict, pending: waits.filter(Boolean).length };
    },
  };
}

/** The verdict that an event would have got when it came; null for a repeat of another one. */
function* verdictThen(id: number, event: ArrivedEvent, subject: SubjectRow): Write<Verdict | null> {
  const same = yield* rows(sql<RepeatableEvent>`
    select id, digest, kind, recognized, verdict from events
    where subject_id = ${subject.id} and digest_key = ${digestKey(event.digest)} and digest = ${event.digest}
      and recognized = 1 and id <> ${id}
    order by id`);
  // A repeat that came after the kind was defined had another subject, and was accepted.
  const isRepeated =
    same.some((one) => one.id > id) && (event.version !== null || event.messageDigest === null);
  if (isRepeated) return null;
  const then = yield* first(sql<Pick<SubjectRow, 'latest_event' | 'latest_version'>>`
    select max(version) as latest_version, max(case when verdict <> 'stale' and ${notSuperseded} then id end) as latest_event
    from events where subject_id = ${subject.id} and id < ${id}`);
  const decision = decide(
    { ...event, recognized: true },
    { ofMessage: undefined, ofContent: same.findLast((one) => one.id < id) },
    { ...subject, latest_event: null, latest_version: null, ...then },
    () => true,
  );
  return decision.is === 'event' ? decision.verdict : null;
}

/** Corrects the latest events of the subject that an event left, which may be empty now, and of the one that it joined. */
function* keepLatest(subjects: readonly number[]): Write<void> {
  yield* run(sql`
    update subjects set
      latest_event = (
        select max(events.id) from events
        where events.subject_id = subjects.id and events.verdict <> 'stale' and ${notSuperseded}),
      latest_version = (select max(version) from events where events.subject_id = subjects.id)
    where id in (${sql.join(subjects)})`);
}
