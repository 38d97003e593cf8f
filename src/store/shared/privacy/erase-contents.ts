/** Replaces the content of rows that name an erased person. */
import { sql } from 'kysely';
import { subjectName, type Subject } from '../../../event/subject.ts';
import type { ContentChange, ContentOutcome, ContentPlace, Privacy } from '../../privacy.ts';
import { forgetDifferences } from '../monitoring/looks.ts';
import { renamePaused } from '../pauses/pauses.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { numberOf } from '../sql/dialect.ts';
import { rows, run, type Write } from '../sql/statements.ts';
import { createErasedMarks, type ErasureParts, type Keyed } from './erased-marks.ts';
import { countErasedRows } from './erasure-ledger.ts';
import { subjectIsHeld } from './hold-conditions.ts';

interface ChangedColumn {
  readonly name: string;
  readonly before: string | Uint8Array;
  readonly after: string | Uint8Array;
}

interface SubjectOfRow {
  readonly place: ContentPlace;
  readonly row: number;
  readonly subject: number;
  readonly held: number;
}

const rowKey = ({ place, row }: Pick<ContentChange, 'place' | 'row'>): string => `${place} ${String(row)}`;

export function createEraseContents({ dialect }: Pick<SharedConnection, 'dialect'>, parts: ErasureParts) {
  const { tables, tableOf, isRow } = parts;
  const marks = createErasedMarks(dialect, parts);

  function* isHoldUnknown(knownHolds: readonly Subject[]): Write<boolean> {
    const known = new Set(knownHolds.map(subjectName));
    const held = yield* rows(sql<Subject>`select family, entity as id from holds`);
    return held.some((subject) => !known.has(subjectName(subject)));
  }

  /** Rows without a subject (quarantine, jobs) are never held. */
  function* subjectsOf(changes: readonly ContentChange[]): Write<readonly SubjectOfRow[]> {
    const found: SubjectOfRow[] = [];
    for (const [place, ofPlace] of Map.groupBy(changes, (change) => change.place)) {
      if (place === 'quarantine' || place === 'job') continue;
      const { from, key } = tables[place];
      const numbers = ofPlace.map(({ row }) => row);
      const subjects = yield* rows(sql<Omit<SubjectOfRow, 'place'>>`
        select ${sql.raw(key)} as row, subjects.id as subject, ${numberOf(subjectIsHeld)} as held
        from ${sql.raw(from)} where ${dialect.isAnyOf(key, numbers, 'bigint')}`);
      found.push(...subjects.map((one) => ({ place, ...one })));
    }
    return found;
  }

  function byTable({
    place,
    body,
    texts = {},
  }: ContentChange): ReadonlyMap<string, readonly ChangedColumn[]> {
    const columns: ChangedColumn[] = [
      ...(body === undefined ? [] : [{ name: 'body', ...body }]),
      ...Object.entries(texts).map(([name, text]) => ({ name, ...text })),
    ];
    return Map.groupBy(columns, ({ name }) => tableOf(place, name));
  }

  /** Locks the rows of a change, and returns whether they have the content that was read. */
  function* isUnchanged(change: ContentChange): Write<boolean> {
    for (const [table, columns] of byTable(change)) {
      const same = columns.map(({ name, before }) => sql`${sql.ref(name)} = ${before}`);
      const found = yield* rows(sql`
        select 1 from ${sql.table(table)} where ${yield* isRow(change.place, table, change.row)}
        and ${sql.join(same, sql` and `)} ${dialect.forUpdate}`);
      if (found.length === 0) return false;
    }
    return true;
  }

  function* erase(change: ContentChange, keyed: Keyed): Write<ContentOutcome> {
    const { place, row, texts = {} } = change;
    if (!(yield* isUnchanged(change))) return 'outdated';
    for (const [table, columns] of byTable(change)) {
      const set = columns.map(
        ({ name, after }) => sql`${sql.ref(name)} = ${newValue(place, name, after, keyed)}`,
      );
      yield* run(
        sql`update ${sql.table(table)} set ${sql.join(set)} where ${yield* isRow(place, table, row)}`,
      );
    }
    if (place === 'event') yield* marks.markEvent(row, { messageId: 'message_id' in texts }, keyed);
    if (place === 'quarantine') yield* marks.markEntry(change, keyed);
    if (place === 'state') yield* marks.rejectOldFolds('state', row);
    if (place === 'base') yield* marks.rejectOldFolds('base', row);
    return 'changed';
  }

  return {
    *eraseContents(
      changes: readonly ContentChange[],
      { knownHolds, erasure }: NonNullable<Parameters<Privacy['eraseContents']>[1]> = {},
    ): Write<readonly ContentOutcome[]> {
      // No hold is placed between this reading of them and the end of the transaction.
      yield* dialect.removeContents();
      yield* parts.requireLock();
      if (knownHolds !== undefined && (yield* isHoldUnknown(knownHolds)))
        return changes.map(() => 'outdated' as const);
      const subjects = yield* subjectsOf(changes);
      // A repeat of an erased event waits, and then finds the keyed digest.
      yield* dialect.lockSubjects(subjects.map(({ subject }) => subject));
      // Before an erasure gives subjects other ids.
      yield* forgetDifferences(
        dialect,
        subjects.filter(({ held }) => held === 0).map(({ subject }) => subject),
      );
      const byKey = yield* parts.keyed();
      const renamed = new Map<string, string>();
      const keyed: Keyed = { ...byKey, entity: (id) => renamed.set(id, byKey.entity(id)).get(id) ?? id };
      const held = new Set(subjects.filter((one) => one.held === 1).map(rowKey));
      const outcomes: ContentOutcome[] = [];
      for (const change of changes)
        outcomes.push(held.has(rowKey(change)) ? 'held' : yield* erase(change, keyed));
      if (erasure !== undefined) yield* countErasedRows(dialect, erasure, { changes, outcomes });
      yield* renamePaused(renamed);
      return outcomes;
    },
  };
}

/** The id of a subject is not replaced by a marker: it must stay unique. */
function newValue(place: ContentPlace, name: string, after: string | Uint8Array, keyed: Keyed) {
  return place === 'subject' && name === 'entity' && typeof after === 'string' ? keyed.entity(after) : after;
}
