/** Entries of the audit as rows, and the chain of their hashes. */
import type { Selectable } from 'kysely';
import type { AuditEntry, AuditResult, NewAuditEntry } from '../../audit.ts';
import { rowId, rowOf } from '../ids.ts';
import type { AuditTable } from '../tables.ts';
import { createHash } from 'node:crypto';

/** Returns the columns of an entry, without its hash. */
export function auditContent(id: number, entry: NewAuditEntry): AuditContent {
  return {
    id,
    at: entry.at,
    place: entry.place,
    actor: entry.actor,
    address: entry.address,
    action: entry.action,
    unmasked: entry.unmasked ? 1 : 0,
    subject: JSON.stringify(entry.subject),
    reason: entry.reason,
    result: entry.result,
    status: entry.status,
    times: entry.times,
    ends: entry.ends === null ? null : (rowOf('u', entry.ends) ?? null),
  };
}

/** The entry that says which entries retention is about to remove. */
export function pruningEntry(now: number, removed: { through: number; entries: number }): NewAuditEntry {
  return {
    at: now,
    place: 'serve',
    actor: null,
    address: null,
    action: 'pruneAudit',
    unmasked: false,
    subject: { through: rowId('u', removed.through), entries: String(removed.entries) },
    reason: null,
    result: 'done',
    status: null,
    times: 1,
    ends: null,
  };
}

/** Returns those of the oldest rows, in order, that are before the first one that is not older than `before`. */
export function rowsToPrune<T extends { readonly at: number }>(
  rows: readonly T[],
  before: number,
): readonly T[] {
  const firstKept = rows.findIndex(({ at }) => at >= before);
  return firstKept === -1 ? rows : rows.slice(0, firstKept);
}

/** A begin joined to its end. */
export type ListedAuditRow = Selectable<AuditTable> & {
  readonly endedAt: number | null;
  readonly endSubject: string | null;
  readonly endReason: string | null;
  readonly finalResult: AuditResult;
  readonly finalStatus: number | null;
};

export function auditEntry(row: ListedAuditRow): AuditEntry {
  const subject = JSON.parse(row.subject) as Record<string, string>;
  const learned = row.endSubject === null ? {} : (JSON.parse(row.endSubject) as Record<string, string>);
  return {
    id: rowId('u', row.id),
    at: row.at,
    endedAt: row.endedAt,
    place: row.place,
    actor: row.actor,
    address: row.address,
    action: row.action,
    unmasked: row.unmasked === 1,
    subject: { ...subject, ...learned },
    reason: row.reason ?? row.endReason,
    result: row.finalResult,
    status: row.finalStatus,
    times: row.times,
  };
}

/** The hash before the first entry. */
export const NO_HASH = new Uint8Array(32);

/** The columns that a hash covers. */
type AuditContent = Omit<AuditTable, 'hash'>;

/** Returns the hash of an entry: it covers every column, and the hash of the entry before. */
export function hashOf(before: Uint8Array, row: AuditContent): Uint8Array {
  const content = [
    row.id,
    row.at,
    row.place,
    row.actor,
    row.address,
    row.action,
    row.unmasked,
    row.subject,
    row.reason,
    row.result,
    row.status,
    row.times,
    row.ends,
  ];
  return createHash('sha256').update(before).update(JSON.stringify(content)).digest();
}

export function sameHash(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** Writes a hash as people note it. */
export function hashText(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
