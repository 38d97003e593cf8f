/** Erasures and holds as rows. */
import type {
  ContentChange,
  ContentOutcome,
  ErasureRecord,
  HashedIdentifier,
  Hold,
  RecordedRun,
} from '../../privacy.ts';
import type { DatabaseSchema } from '../tables.ts';

export const erasureId = (row: number): string => `x${String(row)}`;

export function erasureRecord(
  row: Omit<DatabaseSchema['erasures'], 'id'> & { readonly id: number },
): ErasureRecord {
  return {
    id: erasureId(row.id),
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    requestedBy: row.requested_by,
    reason: row.reason,
    identifiers: JSON.parse(row.identifiers) as HashedIdentifier[],
    runs: runsOf(row.runs),
    receipt: row.receipt,
  };
}

/** Adds a run to those of an erasure, as the table has them. */
export function withRun(runs: string | null, { process, startedAt }: Omit<RecordedRun, 'rows'>): string {
  return JSON.stringify([...runsOf(runs), { process, startedAt, rows: {} } satisfies RecordedRun]);
}

/** Counts what was changed with the last run of an erasure; null if nothing was, or no run has begun. */
export function withErasedRows(
  runs: string | null,
  changes: readonly Pick<ContentChange, 'place'>[],
  outcomes: readonly ContentOutcome[],
): string | null {
  const begun = runsOf(runs);
  const last = begun.at(-1);
  const places = changes.flatMap(({ place }, at) => (outcomes[at] === 'changed' ? [place] : []));
  if (last === undefined || places.length === 0) return null;
  const rows = { ...last.rows };
  for (const place of places) rows[place] = (rows[place] ?? 0) + 1;
  return JSON.stringify([...begun.slice(0, -1), { ...last, rows }]);
}

function runsOf(runs: string | null): readonly RecordedRun[] {
  return runs === null ? [] : (JSON.parse(runs) as RecordedRun[]);
}

export function holdRecord(row: DatabaseSchema['holds']): Hold {
  return {
    subject: { family: row.family, id: row.entity },
    reason: row.reason,
    placedBy: row.placed_by,
    placedAt: row.placed_at,
  };
}
