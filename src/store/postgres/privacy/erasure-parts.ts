/** What an erasure does in PostgreSQL's own way: its locks, its key, and the column of phases. */
import { sql } from 'kysely';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { ErasureParts } from '../../shared/privacy/erased-marks.ts';
import { run } from '../../shared/sql/statements.ts';
import { partsOfState } from '../../state-phases.ts';
import { inTransaction } from '../sql/perform.ts';
import { postgresContents } from './content-tables.ts';
import { keyedBy, readErasureKey } from './keyed-digest.ts';
import { requireErasureLock } from './one-erasure.ts';

export const erasureParts: ErasureParts = {
  ...postgresContents,
  requireLock: () => inTransaction(({ session }) => requireErasureLock(session)),
  keyed: () => inTransaction(async ({ session }) => keyedBy(await readErasureKey(session))),
  *storePhases(machine, subjectId, state) {
    const phases = JSON.stringify(partsOfState(parseJson(state)));
    yield* run(sql`
      update machine_states set phases = ${phases} where machine = ${machine} and subject_id = ${subjectId}`);
  },
};
