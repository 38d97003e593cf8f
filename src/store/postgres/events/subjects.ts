import { sql } from 'kysely';
import type { Subject } from '../../../event/subject.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { canBeIdentifier } from '../../erased-content.ts';
import type { SubjectRow } from '../../rows/verdict.ts';
import type { Keyed } from '../privacy/keyed-digest.ts';
import { arrayOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** A subject of one source, to find or to insert. */
export interface NamedSubject {
  readonly source: string;
  readonly subject: Subject;
}

/** A subject that the transaction has locked. */
export interface LockedSubject extends SubjectRow {
  /** Whether the transaction has inserted it. */
  readonly isNew: boolean;
}

/** Returns a key for maps. */
export function subjectKey({ source, subject }: NamedSubject): string {
  return JSON.stringify([subject.family, subject.id, source]);
}

/**
 * Locks subjects until the end of the transaction, and inserts those that are missing. A subject whose id was erased
 * has a keyed one, and is found by it.
 *
 * @param named each once
 * @returns the subjects by their keys
 */
export async function lockSubjects(
  session: Session,
  named: ReadonlyMap<string, NamedSubject>,
  keyed: Keyed,
): Promise<ReadonlyMap<string, LockedSubject>> {
  const wanted = [...named].map(([key, { source, subject }]) => ({
    key,
    source,
    family: subject.family,
    entity: subject.id,
    erased: canBeIdentifier(subject.id) ? keyed.entity(subject.id) : null,
  }));
  const locked = new Map<string, LockedSubject>();
  for (const { id, source, family, entity } of await insertMissing(session, wanted)) {
    const key = subjectKey({ source, subject: { family, id: entity } });
    locked.set(key, { id, latest_event: null, latest_version: null, erased: 0, isNew: true });
  }
  const known = wanted.filter(({ key }) => !locked.has(key));
  for (const { n, own, ...row } of await lockKnown(session, known)) {
    const key = known[n - 1]?.key ?? '';
    // The subject's own name goes before its erased one.
    if (own || !locked.has(key)) locked.set(key, { ...row, isNew: false });
  }
  // An erasure has renamed a subject between the two statements.
  if (locked.size < named.size) throw new PortariaError('store-busy', 'a subject was renamed meanwhile');
  return locked;
}

interface Wanted {
  readonly source: string;
  readonly family: string;
  readonly entity: string;
  readonly erased: string | null;
}

/**
 * Inserts in the order of names, as every process does: two that insert the same subjects wait for each other
 * in one direction only.
 */
function insertMissing(session: Session, wanted: readonly Wanted[]) {
  return session.rows(sql<{ id: number; source: string; family: string; entity: string }>`
    insert into subjects (source, family, entity)
    select source, family, entity from ${unnested(wanted)} as wanted (source, family, entity, erased, n)
    where not exists (
      select from subjects as known
      where known.family = wanted.family and known.entity = wanted.entity and known.source = wanted.source
    )
    and (erased is null or not exists (
      select from subjects as known
      where known.family = wanted.family and known.entity = wanted.erased and known.source = wanted.source
    ))
    order by family collate "C", entity collate "C", source collate "C"
    on conflict do nothing
    returning id, source, family, entity`);
}

async function lockKnown(session: Session, known: readonly Wanted[]) {
  if (known.length === 0) return [];
  return session.rows(sql<SubjectRow & { n: number; own: boolean }>`
    select subjects.id, latest_event, latest_version, subjects.erased, n, own
    from ${unnested(known)} as wanted (source, family, entity, erased, n)
    cross join lateral (
      select wanted.entity as named, true as own
      union all select wanted.erased, false where wanted.erased is not null
    ) as names
    join subjects on subjects.family = wanted.family and subjects.entity = names.named
      and subjects.source = wanted.source
    order by subjects.id
    for no key update of subjects`);
}

function unnested(wanted: readonly Wanted[]) {
  const column = (name: keyof Wanted) =>
    arrayOf(
      wanted.map((one) => one[name]),
      'text',
    );
  return sql`unnest(${column('source')}, ${column('family')}, ${column('entity')}, ${column('erased')})
    with ordinality`;
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
    from unnest(
      ${arrayOf(
        latest.map(({ subjectId }) => subjectId),
        'bigint',
      )},
      ${arrayOf(
        latest.map(({ event }) => event),
        'bigint',
      )},
      ${arrayOf(
        latest.map(({ version }) => version),
        'text',
      )}
    ) as latest (id, event, version)
    where subjects.id = latest.id`);
}

/** Counts the subjects that the transaction has inserted, and removes those that got no event. */
export async function settleNewSubjects(
  session: Session,
  { used, unused }: { readonly used: number; readonly unused: readonly number[] },
): Promise<void> {
  await Promise.all([
    unused.length > 0 && session.run(sql`delete from subjects where id = any(${arrayOf(unused, 'bigint')})`),
    used > 0 && session.run(sql`insert into row_counts (name, rows) values ('subjects', ${used})`),
  ]);
}
