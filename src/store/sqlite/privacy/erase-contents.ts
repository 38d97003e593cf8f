/** Replaces the content of rows that name an erased person. */
import type { EventFlag } from '../../../event/event.ts';
import { subjectName, type Subject } from '../../../event/subject.ts';
import type { ContentChange, ContentOutcome, Privacy } from '../../privacy.ts';
import { digestKey } from '../../shared/events/verdict.ts';
import type { Connection } from '../sql/connection.ts';
import { canonicalDigest } from '../../shared/quarantine/canonical-digest.ts';
import { contentTables } from '../../shared/privacy/content-tables.ts';
import { subjectIsHeld } from '../../shared/privacy/hold-conditions.ts';
import { countErasedRows } from './erasure-ledger.ts';
import type { Keyed } from './keyed-digest.ts';

/** Replaces the content of rows, as in `Privacy`. Called inside a transaction. */
export type EraseContents = (
  changes: readonly ContentChange[],
  options?: Parameters<Privacy['eraseContents']>[1],
) => readonly ContentOutcome[];

export function createEraseContents({ database, query }: Connection, keyed: Keyed): EraseContents {
  const isHeldCondition = query.selectFrom('subjects').select(subjectIsHeld.as('held')).compile().sql;

  /** Rows without a subject (quarantine, jobs) are never held. */
  function isHeld({ place, row }: ContentChange): boolean {
    if (place === 'quarantine' || place === 'job') return false;
    const { from, key } = contentTables[place];
    const condition = isHeldCondition.replace('from "subjects"', `from ${from}`);
    return database.prepare(`${condition} where ${key} = ?`).pluck().get(row) === 1;
  }

  /** Replaces columns that still have the content that was read. */
  function replace({ place, row, body, texts = {} }: ContentChange): boolean {
    const { from, key } = contentTables[place];
    const [table = ''] = from.split(' ');
    const columns = [...(body === undefined ? [] : [['body', body] as const]), ...Object.entries(texts)].map(
      ([name, { before, after }]) => ({ name, before, after: newValue(place, name, after) }),
    );
    const set = columns.map(({ name }) => `${name} = ?`).join(', ');
    const same = columns.map(({ name }) => `${name} = ?`).join(' and ');
    const rowKey = key.slice(key.indexOf('.') + 1);
    const { changes } = database
      .prepare(`update ${table} set ${set} where ${rowKey} = ? and ${same}`)
      .run(...columns.map(({ after }) => after), row, ...columns.map(({ before }) => before));
    return changes > 0;
  }

  /** The id of a subject is not replaced by a marker: it must stay unique. */
  function newValue(place: ContentChange['place'], name: string, after: string | Uint8Array) {
    return place === 'subject' && name === 'entity' && typeof after === 'string'
      ? keyed.entity(after)
      : after;
  }

  function markEvent(row: number): void {
    const flags = database
      .prepare<[number], string>('select flags from events where id = ?')
      .pluck()
      .get(row);
    const known = JSON.parse(flags ?? '[]') as EventFlag[];
    if (!known.includes('erased')) {
      keyDigest('events', row);
      const marked = JSON.stringify([...known, 'erased' satisfies EventFlag]);
      database.prepare('update events set flags = ? where id = ?').run(marked, row);
    }
    database
      .prepare(
        'update subjects set erased = erased + 1 where id = (select subject_id from events where id = ?)',
      )
      .run(row);
  }

  function markEntry(row: number, before: Uint8Array): void {
    const erased = database
      .prepare<[number], number>('select erased from quarantine where id = ?')
      .pluck()
      .get(row);
    // Its digest is keyed already.
    if (erased === 1) return;
    keyDigest('quarantine', row);
    // A sender that repeats the original may write its members in another order.
    const canonical = canonicalDigest(before);
    database
      .prepare('update quarantine set erased = 1, canonical_digest = ? where id = ?')
      .run(canonical === null ? null : keyed.digest(canonical), row);
  }

  /** The content could be guessed from its own digest. */
  function keyDigest(table: 'events' | 'quarantine', row: number): void {
    const digest = database
      .prepare<[number], Uint8Array>(`select digest from ${table} where id = ?`)
      .pluck()
      .get(row)!;
    const own = keyed.digest(digest);
    database
      .prepare(`update ${table} set digest = ?, digest_key = ? where id = ?`)
      .run(own, digestKey(own), row);
  }

  /** The hash of an id that held an identifier could be guessed as well. */
  function keyMessage(row: number): void {
    const digest = database
      .prepare<[number], Uint8Array | null>('select message_digest from events where id = ?')
      .pluck()
      .get(row);
    if (digest == null) return;
    const own = keyed.digest(digest);
    database
      .prepare('update events set message_digest = ?, message_key = ? where id = ?')
      .run(own, digestKey(own), row);
  }

  /** A fold that has read or remembers the old state must not write it back. */
  function rejectOldFolds(table: 'machine_states' | 'machine_bases', row: number): void {
    database
      .prepare(
        `update machine_states set revision = revision + 1
         where (machine, subject_id) = (select machine, subject_id from ${table} where rowid = ?)`,
      )
      .run(row);
    database
      .prepare(
        `update subjects set erased = erased + 1 where id = (select subject_id from ${table} where rowid = ?)`,
      )
      .run(row);
  }

  function erase(change: ContentChange): ContentOutcome {
    if (isHeld(change)) return 'held';
    if (!replace(change)) return 'outdated';
    if (change.place === 'event') markEvent(change.row);
    if (change.place === 'event' && change.texts?.['message_id'] !== undefined) keyMessage(change.row);
    if (change.place === 'quarantine' && change.body !== undefined) markEntry(change.row, change.body.before);
    if (change.place === 'state') rejectOldFolds('machine_states', change.row);
    if (change.place === 'base') rejectOldFolds('machine_bases', change.row);
    return 'changed';
  }

  function isHoldUnknown(knownHolds: readonly Subject[]): boolean {
    const known = new Set(knownHolds.map(subjectName));
    const held = database.prepare<[], Subject>('select family, entity as id from holds').all();
    return held.some((subject) => !known.has(subjectName(subject)));
  }

  return (changes, { knownHolds, erasure } = {}) => {
    if (knownHolds !== undefined && isHoldUnknown(knownHolds)) return changes.map(() => 'outdated');
    const outcomes = changes.map(erase);
    if (erasure !== undefined) countErasedRows({ database, query }, erasure, changes, outcomes);
    return outcomes;
  };
}
