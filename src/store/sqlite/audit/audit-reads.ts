/** Reads and checks the audit. */
import { sql } from 'kysely';
import type { AuditCheck, AuditEntry, AuditFilter, AuditLog, AuditMark, AuditResult } from '../../audit.ts';
import { beginAuditCheck, CHECKED_TOGETHER } from '../../shared/audit/audit-check.ts';
import { auditEntry } from '../../shared/audit/audit-entry.ts';
import type { Connection } from '../sql/connection.ts';
import { rowOf } from '../../shared/ids.ts';

export function createAuditReads({
  query,
}: Pick<Connection, 'query'>): Pick<AuditLog, 'audit' | 'checkAudit'> {
  async function audit(
    filter: AuditFilter,
    page: Parameters<AuditLog['audit']>[1],
  ): Promise<readonly AuditEntry[]> {
    const after = page.after === undefined ? undefined : rowOf('u', page.after);
    const { since, until, actor, action, subject, place, result, unmasked } = filter;
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
        on.or([
          on('audit.actor', '=', actor),
          on(sql`substr(audit.actor, 1, ${actor.length + 1})`, '=', `${actor}@`),
        ]),
      );
    if (subject !== undefined) {
      const holds = (column: string) => sql<boolean>`exists (
        select 1 from json_each(${sql.ref(column)}) as named
        where instr(', ' || named.value || ', ', ', ' || ${subject} || ', ') > 0)`;
      rows = rows.where((on) => on.or([holds('audit.subject'), holds('end.subject')]));
    }
    return (await rows.execute()).map(auditEntry);
  }

  async function checkAudit(known?: AuditMark): Promise<AuditCheck> {
    const [start] = await query.selectFrom('audit_start').selectAll().execute();
    const check = beginAuditCheck(start, known);
    let after = -1;
    for (;;) {
      const rows = await query
        .selectFrom('audit')
        .selectAll()
        .where('id', '>', after)
        .orderBy('id')
        .limit(CHECKED_TOGETHER)
        .execute();
      for (const row of rows) check.add(row);
      after = rows.at(-1)?.id ?? after;
      if (rows.length < CHECKED_TOGETHER) break;
    }
    const [sequence] = await query
      .selectFrom('sqlite_sequence')
      .select('seq')
      .where('name', '=', 'audit')
      .execute();
    return check.end(sequence?.seq ?? 0);
  }

  return { audit, checkAudit };
}
