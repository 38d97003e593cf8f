/** Checks the chain of the audit, in steps. */
import type { Selectable } from 'kysely';
import type { AuditCheck, AuditMark } from '../../audit.ts';
import { hashOf, hashText, NO_HASH, sameHash } from './audit-chain.ts';
import { rowId, rowOf } from '../ids.ts';
import type { AuditTable } from '../tables.ts';

/** Rows that a check reads at a time. */
export const CHECKED_TOGETHER = 5_000;

/** Problems that a check names, at most: after one intrusion there may be thousands. */
const MAX_PROBLEMS = 100;

/** Checks the chain of hashes, row by row. */
export interface RunningAuditCheck {
  /** Takes the next row. Rows come by number, the lowest first. */
  add(row: Selectable<AuditTable>): void;
  /** @param appended the number of the last entry that was ever appended */
  end(appended: number): AuditCheck;
}

/**
 * @param start the last entry that retention removed; undefined when none was
 * @param known a mark that was noted earlier
 */
export function beginAuditCheck(
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
