/** Records that pauses are acknowledged: one process serves, and what it has acknowledged is. It stands in the row of the pause, and goes with it. */
import { sql } from 'kysely';
import { rowOf } from '../../shared/ids.ts';
import { run, type Write } from '../../shared/sql/statements.ts';
import { sqliteDialect } from '../sql/dialect.ts';

export const acknowledgements = {
  *acknowledgePauses(ids: readonly string[], now: number): Write<void> {
    const rows = ids.map((id) => rowOf('p', id) ?? 0);
    yield* run(sql`
      update pauses set acknowledged_at = ${now}
      where ${sqliteDialect.isAnyOf('id', rows, 'bigint')} and acknowledged_at is null`);
  },
};
