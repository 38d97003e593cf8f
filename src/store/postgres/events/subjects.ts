/**
 * Locks, inserts and updates subjects while events are accepted: the first locks of rows in its transaction.
 *
 * Known subjects are locked by number, then missing ones inserted by name; both orders must stay.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Subject } from '../../../event/subject.ts';
import { canBeIdentifier } from '../../erased-content.ts';
import type { ArrivedEvent } from '../../shared/events/arrival.ts';
import { newestUnrepeated } from '../../shared/events/fill-reconciled.ts';
import type { SubjectRow } from '../../shared/events/verdict.ts';
import { Collision } from '../database/connections/store-error.ts';
import type { Keyed } from '../../shared/privacy/erased-marks.ts';
import { isAnyOf, unnestOf, type Columns } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { drawingLock, nextEventNumber } from './insert-events.ts';

/** A subject of one source, to find or to insert. */
export interface NamedSubject {
  readonly source: string;
  readonly subject: Subject;
}

/** A subject that the transaction has locked. */
export interface LockedSubject extends SubjectRow {
  /** Whether the transaction has inserted it: no event of it is stored, and `latest_event` is for its first one. */
  readonly isNew: boolean;
}

/** Returns a key for maps. */
export function subjectKey({ source, subject }: NamedSubject): string {
  return JSON.stringify([subject.family, subject.id, source]);
}

/**
 * The maximum number of subjects for which both statements are pipelined, which saves a round trip. The second one
 * looks known subjects up again, so a large batch sends it for missing ones only.
 */
const SMALL_BATCH = 16;

/** A subject to find, also by its former id, or to insert, and the version of the first event that arrives of it. */
export type ArrivingSubject = NamedSubject & Pick<ArrivedEvent, 'formerId' | 'version'>;

/**
 * Locks subjects until the end of the transaction, and inserts those that are missing. A subject whose id was erased
 * has a keyed one, and is found by it.
 *
 * Two that insert the same subjects wait for each other in one direction only: existing subjects are locked first, by
 * number, then missing ones are inserted, by name.
 *
 * @param named each once
 * @param waits whether to wait for subjects that another transaction has locked; otherwise they are left out
 * @returns the subjects by their keys
 */
export async function lockSubjects(
  session: Session,
  named: ReadonlyMap<string, ArrivingSubject>,
  keyed: Keyed,
  waits: boolean,
): Promise<ReadonlyMap<string, LockedSubject>> {
  const wanted = [...named].map(([key, one]) => wantedOf(key, one, keyed));
  const locked = new Map<string, LockedSubject>();
  const isSmall = wanted.length <= SMALL_BATCH;
  await Promise.all([
    lockKnown(session, wanted, locked, waits),
    isSmall && insertMissing(session, wanted, locked),
  ]);
  const missing = wanted.filter(({ key }) => !locked.has(key));
  if (missing.length === 0) return locked;
  if (!isSmall) await insertMissing(session, missing, locked);
  // Another process has inserted them meanwhile.
  await lockKnown(
    session,
    missing.filter(({ key }) => !locked.has(key)),
    locked,
    waits,
  );
  // An erasure has renamed a subject between two statements.
  if (waits && locked.size < named.size) throw new Collision('a subject was renamed meanwhile');
  return locked;
}

/** Reads subjects as they are now, without a lock. A subject whose id was erased has a keyed one. */
export function readSubjects(
  session: Session,
  named: ReadonlyMap<string, ArrivingSubject>,
  keyed: Keyed,
): Promise<ReadonlyMap<string, SubjectRow>> {
  return readKnown(
    session,
    [...named].map(([key, one]) => wantedOf(key, one, keyed)),
    sql``,
  );
}

interface Wanted {
  readonly key: string;
  readonly source: string;
  readonly family: string;
  readonly entity: string;
  /** Its other name: the one that an erasure gave it, or the former one. */
  readonly erased: string | null;
  readonly version: string | null;
}

/** The columns that name a subject that is sought. */
const wantedColumns: Columns<Wanted> = {
  source: ['text', ({ source }) => source],
  family: ['text', ({ family }) => family],
  entity: ['text', ({ entity }) => entity],
  erased: ['text', ({ erased }) => erased],
};

function wantedOf(
  key: string,
  { source, subject, formerId, version }: ArrivingSubject,
  keyed: Keyed,
): Wanted {
  return {
    key,
    source,
    family: subject.family,
    entity: subject.id,
    erased: formerId ?? (canBeIdentifier(subject.id) ? keyed.entity(subject.id) : null),
    version,
  };
}

/** Locks those that exist. A row that another transaction changes is read after its commit. */
async function lockKnown(
  session: Session,
  known: readonly Wanted[],
  locked: Map<string, LockedSubject>,
  waits: boolean,
): Promise<void> {
  const lock = waits ? sql`for no key update` : sql`for no key update skip locked`;
  for (const [key, row] of await readKnown(session, known, lock)) locked.set(key, { ...row, isNew: false });
}

/** Reads the rows of those that exist, by their keys. */
async function readKnown(
  session: Session,
  known: readonly Wanted[],
  lock: RawBuilder<unknown>,
): Promise<ReadonlyMap<string, SubjectRow>> {
  const found = new Map<string, SubjectRow>();
  if (known.length === 0) return found;
  const rows = await session.rows(sql<SubjectRow & Named>`
    select id, source, family, entity, latest_event, latest_version, erased, reconciled from subjects
    where id = any(array(
      select found.id
      from ${unnestOf('wanted', known, wantedColumns)}
      cross join unnest(array[wanted.entity, wanted.erased]) as names (entity)
      cross join lateral (
        select id from subjects
        where subjects.family = wanted.family and subjects.entity = names.entity
          and subjects.source = wanted.source
        limit 1
      ) as found
    ))
    order by id ${lock}`);
  const byName = new Map(
    rows.map(({ source, family, entity, ...row }) => [
      subjectKey({ source, subject: { family, id: entity } }),
      row,
    ]),
  );
  for (const { key, source, family, erased } of known) {
    // The subject's own name goes before its erased one.
    const renamed = erased === null ? '' : subjectKey({ source, subject: { family, id: erased } });
    const row = byName.get(key) ?? byName.get(renamed);
    if (row !== undefined) found.set(key, row);
  }
  return found;
}

/**
 * Inserts subjects with the numbers of their first events, in the order of arrival: an update afterwards costs twice as
 * much. A first event is new, unless its message id was used before.
 */
async function insertMissing(
  session: Session,
  missing: readonly Wanted[],
  locked: Map<string, LockedSubject>,
): Promise<void> {
  const rows = await session.rows(sql<{ id: number; first: number } & Named>`
    with locked as materialized (${drawingLock}), numbered as materialized (
      select source, family, entity, erased, version, ${nextEventNumber} as first
      from (
        select wanted.* from locked, ${unnestOf('wanted', missing, {
          ...wantedColumns,
          version: ['text', ({ version }) => version],
          place: 'place',
        })}
        where not exists (
          select from subjects as known
          where known.family = wanted.family and known.entity = any(array[wanted.entity, wanted.erased])
            and known.source = wanted.source
        )
        order by place offset 0
      ) as wanted
    )
    insert into subjects (source, family, entity, latest_event, latest_version)
    select source, family, entity, first, version from numbered
    order by family collate "C", entity collate "C", source collate "C"
    on conflict do nothing
    returning id, latest_event as first, source, family, entity`);
  const byKey = new Map(missing.map((one) => [one.key, one]));
  for (const { id, first, source, family, entity } of rows) {
    const of = byKey.get(subjectKey({ source, subject: { family, id: entity } }));
    if (of === undefined) continue;
    const latest = { latest_event: first, latest_version: of.version };
    locked.set(of.key, { id, ...latest, erased: 0, reconciled: null, isNew: true });
  }
}

interface Named {
  readonly source: string;
  readonly family: string;
  readonly entity: string;
}

/** A subject's new latest event. */
export interface LatestEvent {
  readonly subjectId: number;
  readonly event: number;
  readonly version: string | null;
}

/** Makes events the latest of their subjects. The caller has locked them. */
export async function setLatest(session: Session, latest: readonly LatestEvent[]): Promise<void> {
  if (latest.length === 0) return;
  await session.run(sql`
    update subjects set latest_event = latest.event, latest_version = latest.version
    from ${unnestOf('latest', latest, {
      id: ['bigint', ({ subjectId }) => subjectId],
      event: ['bigint', ({ event }) => event],
      version: ['text', ({ version }) => version],
    })}
    where subjects.id = latest.id`);
}

/** Notes the newest reconciled events of subjects that no webhook has repeated. The caller has locked them. */
export async function setReconciled(
  session: Session,
  subjects: readonly { readonly subjectId: number; readonly repeated: number }[],
): Promise<void> {
  if (subjects.length === 0) return;
  await session.run(sql`
    update subjects set reconciled = ${newestUnrepeated(sql`noted.id`, sql`noted.repeated`)}
    from ${unnestOf('noted', subjects, {
      id: ['bigint', ({ subjectId }) => subjectId],
      repeated: ['bigint', ({ repeated }) => repeated],
    })}
    where subjects.id = noted.id`);
}

/** Removes subjects that the transaction has inserted, and that got no event. */
export async function removeSubjects(session: Session, unused: readonly number[]): Promise<void> {
  if (unused.length > 0)
    await session.run(sql`delete from subjects where ${isAnyOf('id', unused, 'bigint')}`);
}
