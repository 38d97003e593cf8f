/** Reads and checks the audit. */
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { AuditLog, AuditResult } from '../../audit.ts';
import { beginAuditCheck, CHECKED_TOGETHER } from '../../shared/audit/audit-check.ts';
import { auditEntry } from '../../shared/audit/audit-entry.ts';
import { rowOf } from '../../shared/ids.ts';
import type { AuditTable } from '../../shared/tables.ts';
import type { Connection } from '../sql/connection.ts';

export function createAuditReads({
  query,
  read,
  transact,
}: Connection): Pick<AuditLog, 'audit' | 'checkAudit'> {
  return {
    async audit({ since, until, actor, action, subject, place, result, unmasked }, page) {
      const after = page.after === undefined ? undefined : rowOf('u', page.after);
      let rows = query
        .selectFrom('audit')
        .leftJoin('audit as end', 'end.ends', 'audit.id')
        .where('audit.ends', 'is', null)
        .selectAll('audit')
        .select(['end.at as endedAt', 'end.subject as endSubject'])
        .select(sql<AuditResult>`coalesce("end".result, audit.result)`.as('finalResult'))
        .select(sql<number | null>`coalesce("end".status, audit.status)`.as('finalStatus'))
        .orderBy('audit.id', page.order === 'newest' ? 'desc' : 'asc')
        .limit(page.limit);
      if (after !== undefined) rows = rows.where('audit.id', page.order === 'newest' ? '<' : '>', after);
      if (since !== undefined) rows = rows.where('audit.at', '>=', since);
      if (until !== undefined) rows = rows.where('audit.at', '<', until);
      if (action !== undefined) rows = rows.where('audit.action', '=', action);
      if (place !== undefined) rows = rows.where('audit.place', '=', place);
      if (unmasked !== undefined) rows = rows.where('audit.unmasked', '=', unmasked ? 1 : 0);
      if (result !== undefined) rows = rows.where(sql`coalesce("end".result, audit.result)`, '=', result);
      if (actor !== undefined)
        rows = rows.where((on) =>
          on.or([on('audit.actor', '=', actor), sql<SqlBool>`starts_with(audit.actor, ${`${actor}@`})`]),
        );
      if (subject !== undefined)
        rows = rows.where((on) => on.or([names('audit.subject', subject), names('end.subject', subject)]));
      return (await read.rows(rows)).map(auditEntry);
    },

    checkAudit: (known) =>
      transact(async ({ session }) => {
        // Others append and prune meanwhile: all pages are of one moment.
        await session.run(sql`set transaction isolation level repeatable read, read only`);
        const start = await session.first(
          sql<{ through: number; hash: Uint8Array; last: number }>`select * from audit_start`,
        );
        const check = beginAuditCheck(start, known);
        for (let after = -1; ;) {
          const rows = await session.rows(
            sql<AuditTable>`select * from audit where id > ${after} order by id limit ${CHECKED_TOGETHER}`,
          );
          for (const row of rows) check.add(row);
          after = rows.at(-1)?.id ?? after;
          if (rows.length < CHECKED_TOGETHER) return check.end(start?.last ?? 0);
        }
      }),
  };
}

/**
 * Whether a JSON object names a value, whole or as a member of a list. The text is searched as it stands:
 * PostgreSQL cannot read JSON in which a string has a NUL or half of a character.
 */
function names(column: string, value: string): RawBuilder<SqlBool> {
  // Within a string, quotes have a backslash: `":"` begins a value, and a quote ends one.
  const text = JSON.stringify(value).slice(1, -1);
  const found = ['":"', ', '].flatMap((before) =>
    ['"', ', '].map((after) => sql`strpos(${sql.ref(column)}, ${before + text + after}) > 0`),
  );
  return sql<SqlBool>`(${sql.join(found, sql` or `)})`;
}
