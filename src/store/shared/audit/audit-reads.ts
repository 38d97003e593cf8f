/** Reads and checks the audit. */
import { sql, type Selectable } from 'kysely';
import type { AuditFilter, AuditLog, AuditCheck, AuditMark } from '../../audit.ts';
import { rowOf, rowId } from '../ids.ts';
import { allOf, type Condition, type Dialect } from '../sql/dialect.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { AuditTable } from '../tables.ts';
import { auditEntry, hashOf, hashText, NO_HASH, sameHash, type ListedAuditRow } from './audit-entry.ts';

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
        select audit.*, "end".at as "endedAt", "end".subject as "endSubject", "end".reason as "endReason",
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

/** Rows that a check reads at a time. */
const CHECKED_TOGETHER = 5_000;

/** Problems that a check names, at most: after one intrusion there may be thousands. */
const MAX_PROBLEMS = 100;

/** Checks the chain of hashes, row by row. */
interface RunningAuditCheck {
  /** Takes the next row. Rows come by number, the lowest first. */
  add(row: Selectable<AuditTable>): void;
  /** @param appended the number of the last entry that was ever appended */
  end(appended: number): AuditCheck;
}

/**
 * @param start the last entry that retention removed; undefined when none was
 * @param known a mark that was noted earlier
 */
function beginAuditCheck(
  start: { readonly through: number; readonly hash: Uint8Array } | undefined,
  known: AuditMark | undefined,
): RunningAuditCheck {
  const problems: { id: string; problem: string }[] = [];
  const report = (id: number, problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ id: rowId('u', id), problem });
  };
  const through = start?.through ?? 0;
  let last = { id: through, hash: start?.hash ?? NO_HASH };
  let entries = 0;
  let knownIsMet = false;

  return {
    add(row) {
      if (row.id > last.id + 1) report(last.id + 1, `is missing, up to ${rowId('u', row.id - 1)}`);
      else if (row.id !== last.id + 1) report(last.id + 1, 'stands before the begin of the audit');
      else if (!sameHash(row.hash, hashOf(last.hash, row)))
        report(row.id, 'was changed, or the entry before it was');
      if (known !== undefined && rowId('u', row.id) === known.id) {
        knownIsMet = true;
        if (hashText(row.hash) !== known.hash) report(row.id, 'has another hash than the noted one');
      }
      last = row;
      entries += 1;
    },
    end(appended) {
      if (appended > last.id) report(last.id + 1, 'and all later entries are missing');
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
    },
  };
}
