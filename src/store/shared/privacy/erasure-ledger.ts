/** Counts what an erasure has changed, in its ledger. */
import { sql } from 'kysely';
import type { ContentChange, ContentOutcome } from '../../privacy.ts';
import type { Dialect } from '../sql/dialect.ts';
import { first, run, type Write } from '../sql/statements.ts';
import { withErasedRows } from './privacy-records.ts';

/** Counts changed rows with the last run of an erasure. Called inside the transaction that changes them. */
export function* countErasedRows(
  dialect: Pick<Dialect, 'forUpdate'>,
  id: string,
  {
    changes,
    outcomes,
  }: { readonly changes: readonly ContentChange[]; readonly outcomes: readonly ContentOutcome[] },
): Write<void> {
  const runs = withErasedRows(yield* lockRuns(dialect, id), changes, outcomes);
  if (runs !== null) yield* run(sql`update erasures set runs = ${runs} where id = ${Number(id.slice(1))}`);
}

function* lockRuns({ forUpdate }: Pick<Dialect, 'forUpdate'>, id: string): Write<string | null> {
  const row = yield* first(
    sql<{ runs: string | null }>`select runs from erasures where id = ${Number(id.slice(1))} ${forUpdate}`,
  );
  return row?.runs ?? null;
}
