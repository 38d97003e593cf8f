/** What a plan shows of the deliveries and entries that it would change. */
import type { RejectionReason } from '../../../event/delivery.ts';
import type { ProblemGroup } from '../../plans.ts';
import type { Ids } from '../ids.ts';
import { quarantineRecord, type EntryRow } from '../quarantine/quarantine-record.ts';

/** Lanes that a plan names, at most. */
export const MAX_LANES = 10;

/** Problems that are listed, at most. */
export const MAX_PROBLEMS = 200;

/** Held entries with the same problem, by the row numbers of the oldest and the newest. */
export interface CountedProblem {
  readonly problem: string;
  readonly entries: number;
  readonly first: number;
  readonly last: number;
}

/** @param rows the oldest and the newest entries of the problems */
export function problemGroups(
  problems: readonly CountedProblem[],
  rows: readonly EntryRow[],
  ids: Ids,
): readonly ProblemGroup[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return problems.flatMap(({ problem, entries, first, last }) => {
    const [oldest, newest] = [byId.get(first), byId.get(last)];
    if (oldest === undefined || newest === undefined) return [];
    return [
      {
        problem,
        reason: newest.reason as RejectionReason,
        entries,
        firstAt: oldest.received_at,
        lastAt: newest.received_at,
        sample: quarantineRecord(newest, ids),
      },
    ];
  });
}
