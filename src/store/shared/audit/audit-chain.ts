/** The chain of hashes over the audit. */
import { createHash } from 'node:crypto';
import type { AuditTable } from '../tables.ts';

/** The hash before the first entry. */
export const NO_HASH = new Uint8Array(32);

/** The columns that a hash covers. */
export type AuditContent = Omit<AuditTable, 'hash'>;

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
