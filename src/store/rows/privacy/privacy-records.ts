/** Erasures and holds as rows. */
import type { ErasureRecord, HashedIdentifier, Hold } from '../../privacy.ts';
import type { DatabaseSchema } from '../tables.ts';

export const erasureId = (row: number): string => `x${String(row)}`;

export function erasureRecord(
  row: Omit<DatabaseSchema['erasures'], 'id'> & { readonly id: number },
): ErasureRecord {
  return {
    id: erasureId(row.id),
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    requestedBy: row.requested_by,
    reason: row.reason,
    identifiers: JSON.parse(row.identifiers) as HashedIdentifier[],
    receipt: row.receipt,
  };
}

export function holdRecord(row: DatabaseSchema['holds']): Hold {
  return {
    subject: { family: row.family, id: row.entity },
    reason: row.reason,
    placedBy: row.placed_by,
    placedAt: row.placed_at,
  };
}
