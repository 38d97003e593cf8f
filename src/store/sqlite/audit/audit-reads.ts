import { sql, type Selectable } from 'kysely';
import type { AuditCheck, AuditEntry, AuditFilter, AuditLog, AuditMark, AuditResult } from '../../audit.ts';
import type { AuditTable } from '../../rows/tables.ts';
import type { Connection } from '../sql/connection.ts';
import { rowId, rowOf } from '../../rows/ids.ts';
import { hashOf, hashText, NO_HASH, sameHash } from './audit-chain.ts';

/** Rows that a check reads at a time. */
const CHECKED_TOGETHER = 5_000;

/** Problems that a check names, at most: after one intrusion there may be thousands. */
const MAX_PROBLEMS = 100;

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
    return (await rows.execute()).map(entryOf);
  }

  async function checkAudit(known?: AuditMark): Promise<AuditCheck> {
    const [start] = await query.selectFrom('audit_start').selectAll().execute();
    const problems: { id: string; problem: string }[] = [];
    const report = (id: number, problem: string): void => {
      if (problems.length < MAX_PROBLEMS) problems.push({ id: rowId('u', id), problem });
    };
    const through = start?.through ?? 0;
    let last = { id: through, hash: start?.hash ?? NO_HASH };
    let entries = 0;
    let knownIsMet = false;
    for (;;) {
      const rows = await query
        .selectFrom('audit')
        .selectAll()
        .where('id', '>', entries === 0 ? -1 : last.id)
        .orderBy('id')
        .limit(CHECKED_TOGETHER)
        .execute();
      for (const row of rows) {
        if (row.id !== last.id + 1)
          report(
            last.id + 1,
            row.id > last.id + 1
              ? `is missing, up to ${rowId('u', row.id - 1)}`
              : 'stands before the begin of the audit',
          );
        else if (!sameHash(row.hash, hashOf(last.hash, row)))
          report(row.id, 'was changed, or the entry before it was');
        if (known !== undefined && rowId('u', row.id) === known.id) {
          knownIsMet = true;
          if (hashText(row.hash) !== known.hash) report(row.id, 'has another hash than the noted one');
        }
        last = row;
        entries += 1;
      }
      if (rows.length < CHECKED_TOGETHER) break;
    }
    const [sequence] = await query
      .selectFrom('sqlite_sequence')
      .select('seq')
      .where('name', '=', 'audit')
      .execute();
    if ((sequence?.seq ?? 0) > last.id) report(last.id + 1, `and all later entries are missing`);
    if (known !== undefined && !knownIsMet) {
      const row = rowOf('u', known.id) ?? 0;
      if (row > through || row === 0) report(row, 'was noted earlier and is missing');
    }
    return {
      entries,
      last: last.id === 0 ? null : { id: rowId('u', last.id), hash: hashText(last.hash) },
      prunedThrough: through === 0 ? null : rowId('u', through),
      problems,
    };
  }

  return { audit, checkAudit };
}

type ListedRow = Selectable<AuditTable> & {
  readonly endedAt: number | null;
  readonly endSubject: string | null;
  readonly finalResult: AuditResult;
  readonly finalStatus: number | null;
};

function entryOf(row: ListedRow): AuditEntry {
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
    reason: row.reason,
    result: row.finalResult,
    status: row.finalStatus,
    times: row.times,
  };
}
