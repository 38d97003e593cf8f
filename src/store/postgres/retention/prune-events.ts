/** Prunes the bodies and the failed attempts of old events. */
import { sql } from 'kysely';
import { subjectName } from '../../../event/subject.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { NewMachineBase, PruneEvents } from '../../retention.ts';
import { eventIsHeld } from '../../shared/privacy/hold-conditions.ts';
import { isEventWaiting } from '../../shared/retention/prune-pages.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { lockLanes } from '../deliveries/lanes.ts';
import { isOfDays } from '../events/content-days.ts';
import { subjectRow } from '../../shared/events/verdict.ts';
import { writeBase } from '../machines/commit-machine.ts';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { REMOVE_CONTENTS } from '../sql/advisory-locks.ts';
import { countPruned } from '../../shared/retention/prune-rows.ts';
import { foldsOf, prunableWith } from '../../shared/retention/folding-machines.ts';
import { postgresDialect } from '../sql/dialect.ts';
import { perform } from '../sql/perform.ts';

/**
 * Removes bodies and headers, as in `Retention`. No event begins to wait meanwhile, and no hold is placed
 * (REMOVE_CONTENTS). Subjects with bases are locked, so that no fold commits between the check and the base.
 */
export async function pruneEvents(
  { session }: Transaction,
  request: PruneEvents,
): Promise<{ readonly events: number; readonly bytes: number }> {
  await session.run(REMOVE_CONTENTS);
  const bases = await withSubjects(session, request.bases);
  const folded = request.machines.length === 0 ? [] : await subjectsOf(session, request.events);
  await lockLanes(session, {
    subjects: [...folded, ...bases.map(({ subjectId }) => subjectId)],
    handlers: [],
  });
  const rows = await prunable(session, request);
  if (rows.length === 0) return { events: 0, bytes: 0 };
  for (const base of bases) {
    await requireRevision(session, base);
    await writeBase(session, base.subjectId, base);
  }
  await removeContent(session, rows, request.now);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  await perform({ session }, countPruned({ events: rows.length, bytes }));
  return { events: rows.length, bytes };
}

interface Row {
  readonly id: number;
  readonly subject_id: number;
  readonly received_at: number;
  readonly bytes: number;
}

/** The old events among these that wait for nothing and are not held. */
async function prunable(
  session: Session,
  { events, machines, before }: PruneEvents,
): Promise<readonly Row[]> {
  const received = await session.rows(sql<{ at: number }>`
    select received_at as at from events where ${isAnyOf('id', events, 'bigint')}`);
  const times = received.map(({ at }) => at);
  const found = await session.rows(sql<Row>`
    select events.id, events.subject_id, events.received_at,
      octet_length(contents.body) + octet_length(contents.headers) as bytes
    from events join event_contents as contents
      on contents.event_id = events.id and contents.received_at = events.received_at
    where ${isAnyOf('events.id', events, 'bigint')} and ${isAnyOf('contents.event_id', events, 'bigint')}
      and contents.received_at < ${before} and ${isOfDays('contents.received_at', times)}
      and not ${isEventWaiting} and not ${eventIsHeld}
    order by events.id`);
  return prunableWith(found, await perform({ session }, foldsOf(postgresDialect, found)), machines);
}

async function subjectsOf(session: Session, events: readonly number[]): Promise<readonly number[]> {
  const rows = await session.rows(sql<{ subject_id: number }>`
    select distinct subject_id from events where ${isAnyOf('id', events, 'bigint')}`);
  return rows.map((row) => row.subject_id);
}

type BaseOfSubject = NewMachineBase & { readonly subjectId: number };

/** @throws PortariaError `not-found` */
async function withSubjects(
  session: Session,
  bases: readonly NewMachineBase[],
): Promise<readonly BaseOfSubject[]> {
  const found: BaseOfSubject[] = [];
  for (const base of bases) {
    const row = await session.first(subjectRow(base.source, base.subject));
    if (row === undefined)
      throw new PortariaError(
        'not-found',
        `there is no subject ${subjectName(base.subject)} of source ${base.source}`,
      );
    found.push({ ...base, subjectId: row.id });
  }
  return found;
}

/** @throws PortariaError `machine-conflict` when the machine's state has changed since the base was read */
async function requireRevision(
  session: Session,
  { machine, subjectId, revision }: BaseOfSubject,
): Promise<void> {
  const row = await session.first(sql<{ revision: number }>`
    select revision from machine_states where machine = ${machine} and subject_id = ${subjectId}`);
  const found = row?.revision ?? 0;
  if (found === revision) return;
  throw new PortariaError(
    'machine-conflict',
    `machine ${machine} has changed since it was read (revision ${String(found)}, expected ` +
      `${String(revision)}): try again`,
  );
}

async function removeContent(session: Session, rows: readonly Row[], now: number): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const times = rows.map((row) => row.received_at);
  await session.run(sql`
    delete from event_contents where ${isAnyOf('event_id', ids, 'bigint')} and ${isOfDays('received_at', times)}`);
  await session.run(sql`update events set pruned_at = ${now} where ${isAnyOf('id', ids, 'bigint')}`);
  await removeAttempts(session, ids);
}

/** Removes the failed attempts of events. */
export async function removeAttempts(session: Session, events: readonly number[]): Promise<void> {
  await session.run(sql`
    delete from attempts
    where delivery_id in (select id from deliveries where ${isAnyOf('event_id', events, 'bigint')})`);
}
