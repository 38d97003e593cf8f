/** Replaces the content of rows that name an erased person. */
import { sql } from 'kysely';
import { subjectName, type Subject } from '../../../event/subject.ts';
import type { ContentChange, ContentOutcome, ContentPlace, Privacy } from '../../privacy.ts';
import { subjectIsHeld } from '../../shared/privacy/hold-conditions.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { lockLanes } from '../deliveries/lanes.ts';
import { removeContents } from '../retention/content-lock.ts';
import type { Connection } from '../sql/connection.ts';
import { arrayOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { contentTables, tableOf } from './content-tables.ts';
import { countErasedRows } from './erasure-ledger.ts';
import { markEntry, markEvent, rejectOldFolds } from './erased-marks.ts';
import { keyedBy, readErasureKey, type Keyed } from './keyed-digest.ts';
import { requireErasureLock } from './one-erasure.ts';

/**
 * Replaces the content of rows, as in `Privacy`. It locks the subjects of the rows: a repeat of an erased event
 * that arrives meanwhile waits, and then finds the keyed digest.
 */
async function eraseContents(
  { session }: Transaction,
  changes: readonly ContentChange[],
  { knownHolds, erasure }: NonNullable<Parameters<Privacy['eraseContents']>[1]>,
): Promise<readonly ContentOutcome[]> {
  // A hold takes this lock, too: none is placed between this reading of them and the end of the transaction.
  await removeContents(session);
  await requireErasureLock(session);
  if (knownHolds !== undefined && (await isHoldUnknown(session, knownHolds)))
    return changes.map(() => 'outdated');
  const subjects = await subjectsOf(session, changes);
  await lockLanes(session, { subjects: subjects.map(({ subject }) => subject), handlers: [] });
  const keyed = keyedBy(await readErasureKey(session));
  const held = new Set(subjects.filter((one) => one.held).map(({ place, row }) => rowKey({ place, row })));
  const outcomes: ContentOutcome[] = [];
  for (const change of changes)
    outcomes.push(held.has(rowKey(change)) ? 'held' : await erase(session, change, keyed));
  if (erasure !== undefined) await countErasedRows(session, erasure, changes, outcomes);
  return outcomes;
}

export function createEraseContents({ transact }: Connection): Pick<Privacy, 'eraseContents'> {
  return {
    eraseContents: (changes, options = {}) =>
      // Not `transactLanes`: a hold would come in between its tries.
      transact((transaction) => eraseContents(transaction, changes, options)),
  };
}

async function isHoldUnknown(session: Session, knownHolds: readonly Subject[]): Promise<boolean> {
  const known = new Set(knownHolds.map(subjectName));
  const held = await session.rows(sql<Subject>`select family, entity as id from holds`);
  return held.some((subject) => !known.has(subjectName(subject)));
}

interface SubjectOfRow {
  readonly place: ContentPlace;
  readonly row: number;
  readonly subject: number;
  readonly held: boolean;
}

const rowKey = ({ place, row }: Pick<ContentChange, 'place' | 'row'>): string => `${place} ${String(row)}`;

/** Rows without a subject (quarantine, jobs) are never held. */
async function subjectsOf(
  session: Session,
  changes: readonly ContentChange[],
): Promise<readonly SubjectOfRow[]> {
  const found: SubjectOfRow[] = [];
  for (const [place, rows] of Map.groupBy(changes, (change) => change.place)) {
    if (place === 'quarantine' || place === 'job') continue;
    const { from, key } = contentTables[place];
    const numbers = rows.map(({ row }) => row);
    const subjects = await session.rows(sql<Omit<SubjectOfRow, 'place'>>`
      select ${sql.raw(key)} as row, subjects.id as subject, ${subjectIsHeld} as held
      from ${sql.raw(from)} where ${sql.raw(key)} = any(${arrayOf(numbers, 'bigint')})`);
    found.push(...subjects.map((one) => ({ place, ...one })));
  }
  return found;
}

async function erase(session: Session, change: ContentChange, keyed: Keyed): Promise<ContentOutcome> {
  const { place, row, texts = {} } = change;
  if (!(await isUnchanged(session, change))) return 'outdated';
  for (const [table, columns] of byTable(change)) {
    const set = columns.map(
      ({ name, after }) => sql`${sql.ref(name)} = ${newValue(place, name, after, keyed)}`,
    );
    await session.run(sql`update ${sql.table(table)} set ${sql.join(set)} where ${isRow(place, table, row)}`);
  }
  if (place === 'event') await markEvent(session, row, { messageId: 'message_id' in texts }, keyed);
  if (place === 'quarantine') await markEntry(session, change, keyed);
  if (place === 'state') await rejectOldFolds(session, 'machine_states', row);
  if (place === 'base') await rejectOldFolds(session, 'machine_bases', row);
  return 'changed';
}

/** Locks the rows of a change, and returns whether they have the content that was read. */
async function isUnchanged(session: Session, change: ContentChange): Promise<boolean> {
  for (const [table, columns] of byTable(change)) {
    const same = columns.map(({ name, before }) => sql`${sql.ref(name)} = ${before}`);
    const found = await session.rows(sql`
      select from ${sql.table(table)} where ${isRow(change.place, table, change.row)}
      and ${sql.join(same, sql` and `)} for update`);
    if (found.length === 0) return false;
  }
  return true;
}

interface ChangedColumn {
  readonly name: string;
  readonly before: string | Uint8Array;
  readonly after: string | Uint8Array;
}

function byTable({ place, body, texts = {} }: ContentChange): ReadonlyMap<string, readonly ChangedColumn[]> {
  const columns: ChangedColumn[] = [
    ...(body === undefined ? [] : [{ name: 'body', ...body }]),
    ...Object.entries(texts).map(([name, text]) => ({ name, ...text })),
  ];
  return Map.groupBy(columns, ({ name }) => tableOf(place, name));
}

function isRow(place: ContentPlace, table: string, row: number) {
  if (table === 'event_contents')
    return sql`event_id = ${row} and received_at = (select received_at from events where id = ${row})`;
  return sql`${sql.ref(contentTables[place].key)} = ${row}`;
}

/** The id of a subject is not replaced by a marker: it must stay unique. */
function newValue(place: ContentPlace, name: string, after: string | Uint8Array, keyed: Keyed) {
  return place === 'subject' && name === 'entity' && typeof after === 'string' ? keyed.entity(after) : after;
}
