/** Reads and checks the audit. */
import { sql } from 'kysely';
import type { AuditFilter, AuditLog } from '../../audit.ts';
import { rowOf } from '../ids.ts';
import { allOf, type Condition, type Dialect } from '../sql/dialect.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { AuditTable } from '../tables.ts';
import { beginAuditCheck, CHECKED_TOGETHER } from './audit-check.ts';
import { auditEntry, type ListedAuditRow } from './audit-entry.ts';

export function createAuditReads({
  read,
  readAtOnce,
  dialect,
}: Pick<SharedConnection, 'read' | 'readAtOnce' | 'dialect'>): Pick<AuditLog, 'audit' | 'checkAudit'> {
  return {
    async audit(filter, { order, limit, after }) {
      const beyond = order === 'newest' ? sql`<` : sql`>`;
      const from = after === undefined ? undefined : rowOf('u', after);
      const rows = await read.rows(sql<ListedAuditRow>`
        select audit.*, "end".at as "endedAt", "end".subject as "endSubject",
          coalesce("end".result, audit.result) as "finalResult",
          coalesce("end".status, audit.status) as "finalStatus"
        from audit left join audit as "end" on "end".ends = audit.id
        where audit.ends is null and ${allOf(auditConditions(filter, dialect))}
          and ${from === undefined ? sql`true` : sql`audit.id ${beyond} ${from}`}
        order by audit.id ${order === 'newest' ? sql`desc` : sql`asc`} limit ${limit}`);
      return rows.map(auditEntry);
    },

    // Others append and prune meanwhile.
    checkAudit: (known) =>
      readAtOnce(async (read) => {
        const start = await read.first(
          sql<{ through: number; hash: Uint8Array; last: number | null }>`
            select through, hash, ${dialect.lastNumber('audit')} as last from audit_start`,
        );
        const check = beginAuditCheck(start, known);
        for (let after = -1; ;) {
          const rows = await read.rows(
            sql<AuditTable>`select * from audit where id > ${after} order by id limit ${CHECKED_TOGETHER}`,
          );
          for (const row of rows) check.add(row);
          after = rows.at(-1)?.id ?? after;
          if (rows.length < CHECKED_TOGETHER) return check.end(start?.last ?? 0);
        }
      }),
  };
}

function auditConditions(
  { since, until, actor, action, subject, place, result, unmasked }: AuditFilter,
  dialect: Dialect,
): readonly Condition[] {
  const all: Condition[] = [];
  if (since !== undefined) all.push(sql`audit.at >= ${since}`);
  if (until !== undefined) all.push(sql`audit.at < ${until}`);
  if (action !== undefined) all.push(sql`audit.action = ${action}`);
  if (place !== undefined) all.push(sql`audit.place = ${place}`);
  if (unmasked !== undefined) all.push(sql`audit.unmasked = ${unmasked ? 1 : 0}`);
  if (result !== undefined) all.push(sql`coalesce("end".result, audit.result) = ${result}`);
  if (actor !== undefined)
    all.push(sql`(audit.actor = ${actor} or ${dialect.startsWith('audit.actor', `${actor}@`)})`);
  if (subject !== undefined) all.push(named(subject, dialect));
  return all;
}

/** The condition that the subject of an entry or of its end names a value, whole or as a member of a list. */
function named(value: string, dialect: Dialect): Condition {
  // Within a string, quotes have a backslash: `":"` begins a value, and a quote ends one.
  const text = JSON.stringify(value).slice(1, -1);
  const found = ['audit.subject', '"end".subject'].flatMap((column) =>
    ['":"', ', '].flatMap((before) =>
      ['"', ', '].map((after) => dialect.contains(column, before + text + after)),
    ),
  );
  return sql`(${sql.join(found, sql` or `)})`;
}
