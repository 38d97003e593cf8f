/** Writes the audit. */
import type { NewAuditEntry } from '../../audit.ts';
import type { Connection } from '../sql/connection.ts';
import { auditContent, pruningEntry, rowsToPrune } from '../../shared/audit/audit-entry.ts';
import { rowId } from '../../shared/ids.ts';
import { rowsNow, runNow } from '../sql/statement.ts';
import { hashOf, NO_HASH } from '../../shared/audit/audit-chain.ts';

/** Appends entries, and removes the oldest. Called inside a transaction. */
export interface AuditWrites {
  appendAudit(entry: NewAuditEntry): string;
  pruneAudit(before: number, limit: number): number;
}

export function createAuditWrites({ database, query, clock }: Connection): AuditWrites {
  /** The end of the chain: the last entry, or what retention left. */
  function end(): { readonly id: number; readonly hash: Uint8Array } {
    const last = query.selectFrom('audit').select(['id', 'hash']).orderBy('id', 'desc').limit(1);
    const start = query.selectFrom('audit_start').select(['through as id', 'hash']);
    return rowsNow(database, last)[0] ?? rowsNow(database, start)[0] ?? { id: 0, hash: NO_HASH };
  }

  function appendAudit(entry: NewAuditEntry): string {
    const { id: before, hash } = end();
    const row = auditContent(before + 1, entry);
    runNow(database, query.insertInto('audit').values({ ...row, hash: hashOf(hash, row) }));
    return rowId('u', row.id);
  }

  return {
    appendAudit,
    pruneAudit(before, limit) {
      const oldest = query.selectFrom('audit').select(['id', 'hash', 'at']).orderBy('id').limit(limit);
      const rows = rowsNow(database, oldest);
      const old = rowsToPrune(rows, before);
      const last = old.at(-1);
      if (last === undefined) return 0;
      // The entry says what is missing before the rows go: the chain goes on behind it.
      appendAudit(pruningEntry(clock.now(), { through: last.id, entries: old.length }));
      runNow(database, query.updateTable('audit_start').set({ through: last.id, hash: last.hash }));
      // The only deletion of entries there is. A trigger refuses all that `audit_start` does not cover.
      runNow(database, query.deleteFrom('audit').where('id', '<=', last.id));
      return old.length;
    },
  };
}
