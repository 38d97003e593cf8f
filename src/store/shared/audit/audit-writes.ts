/** Appends to the audit, and prunes its oldest entries. */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { NewAuditEntry } from '../../audit.ts';
import { rowId } from '../ids.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { first, rows, run, type Write } from '../sql/statements.ts';
import { hashOf, NO_HASH, auditContent, pruningEntry, rowsToPrune } from './audit-entry.ts';

/** Appends an entry, and returns its id. Ids have no gaps, and each hash covers the one before. */
export function* appendAudit(dialect: Pick<Dialect, 'countAuditEntry'>, entry: NewAuditEntry): Write<string> {
  const start = yield* first(dialect.countAuditEntry);
  // A statement of its own: on PostgreSQL, it sees what was committed while the first one waited.
  const before = yield* first(sql<{ hash: Uint8Array }>`select hash from audit order by id desc limit 1`);
  const row = auditContent(start?.last ?? 0, entry);
  const hash = hashOf(before?.hash ?? start?.hash ?? NO_HASH, row);
  const inserted = yield* run(sql`
    insert into audit (id, at, place, actor, address, action, unmasked, subject, reason, result, status, times, ends, hash)
    values (${row.id}, ${row.at}, ${row.place}, ${row.actor}, ${row.address}, ${row.action}, ${row.unmasked},
      ${row.subject}, ${row.reason}, ${row.result}, ${row.status}, ${row.times}, ${row.ends}, ${hash})
    on conflict (ends) where ends is not null do nothing`);
  if (inserted === 0)
    throw new PortariaError('store-failed', `the action of entry ${entry.ends ?? ''} has ended before`);
  return rowId('u', row.id);
}

export function createAuditWrites({ dialect, clock }: SharedConnection) {
  /** Removes entries from before a time, up to a number of them, and returns how many. */
  function* pruneAudit(before: number, limit: number): Write<number> {
    yield* rows(sql`select 1 from audit_start ${dialect.forUpdate}`);
    const oldest = yield* rows(
      sql<{
        id: number;
        at: number;
        hash: Uint8Array;
      }>`select id, at, hash from audit order by id limit ${limit}`,
    );
    const old = rowsToPrune(oldest, before);
    const last = old.at(-1);
    if (last === undefined) return 0;
    // The entry says what is missing before the rows go: the chain goes on behind it.
    yield* appendAudit(dialect, pruningEntry(clock.now(), { through: last.id, entries: old.length }));
    yield* run(sql`update audit_start set through = ${last.id}, hash = ${last.hash}`);
    // The only deletion of entries there is. A trigger refuses all that `audit_start` does not cover.
    yield* run(sql`delete from audit where id <= ${last.id}`);
    return old.length;
  }

  return { appendAudit: (entry: NewAuditEntry) => appendAudit(dialect, entry), pruneAudit };
}
