/** Appends to the audit, and prunes its oldest entries. */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { AuditLog, NewAuditEntry } from '../../audit.ts';
import { hashOf, NO_HASH } from '../../shared/audit/audit-chain.ts';
import { auditContent, pruningEntry, rowsToPrune } from '../../shared/audit/audit-entry.ts';
import { rowId } from '../../shared/ids.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import type { Connection } from '../sql/connection.ts';

/**
 * Appends an entry, and returns its id. The row of `audit_start` counts the entries and is their lock: whoever
 * appends waits here for whoever appended before, so that ids have no gaps and each hash covers the one before.
 */
export async function appendAudit(
  { session }: Pick<Transaction, 'session'>,
  entry: NewAuditEntry,
): Promise<string> {
  const start = await session.first(
    sql<{ last: number; hash: Uint8Array }>`update audit_start set last = last + 1 returning last, hash`,
  );
  // A statement of its own: it sees what was committed while the first one waited.
  const before = await session.first(
    sql<{ hash: Uint8Array }>`select hash from audit order by id desc limit 1`,
  );
  const row = auditContent(start?.last ?? 0, entry);
  const hash = hashOf(before?.hash ?? start?.hash ?? NO_HASH, row);
  const inserted = await session.run(sql`
    insert into audit (id, at, place, actor, address, action, unmasked, subject, reason, result, status, times, ends, hash)
    values (${row.id}, ${row.at}, ${row.place}, ${row.actor}, ${row.address}, ${row.action}, ${row.unmasked},
      ${row.subject}, ${row.reason}, ${row.result}, ${row.status}, ${row.times}, ${row.ends}, ${hash})
    on conflict (ends) where ends is not null do nothing`);
  if (inserted === 0)
    throw new PortariaError('store-failed', `the action of entry ${entry.ends ?? ''} has ended before`);
  return rowId('u', row.id);
}

export function createAuditWrites({
  transact,
  clock,
}: Connection): Pick<AuditLog, 'appendAudit' | 'pruneAudit'> {
  return {
    appendAudit: (entry) => transact((transaction) => appendAudit(transaction, entry)),
    pruneAudit: (before, limit) =>
      transact(async (transaction) => {
        const { session } = transaction;
        await session.run(sql`select from audit_start for update`);
        const rows = await session.rows(
          sql<{ id: number; at: number; hash: Uint8Array }>`
            select id, at, hash from audit order by id limit ${limit}`,
        );
        const old = rowsToPrune(rows, before);
        const last = old.at(-1);
        if (last === undefined) return 0;
        // The entry says what is missing before the rows go: the chain goes on behind it.
        await appendAudit(transaction, pruningEntry(clock.now(), { through: last.id, entries: old.length }));
        await session.run(sql`update audit_start set through = ${last.id}, hash = ${last.hash}`);
        // The only deletion of entries there is. A trigger refuses all that `audit_start` does not cover.
        await session.run(sql`delete from audit where id <= ${last.id}`);
        return old.length;
      }),
  };
}
