/** The key and the ledger of erasures in PostgreSQL. */
import type { Privacy } from '../../privacy.ts';
import type { Connection } from '../sql/connection.ts';
import { createErasureLedger } from './erasure-ledger.ts';
import { readErasureKey } from './keyed-digest.ts';

/**
 * What erasures need beside the rows themselves. What keeps erasures apart is no part of it: errors of the work that it
 * runs are not errors of the store.
 */
export function createPrivacy(
  connection: Connection,
): Pick<
  Privacy,
  'truncateLog' | 'erasureKey' | 'beginErasure' | 'beginErasureRun' | 'finishErasure' | 'erasures'
> {
  return {
    // PostgreSQL recycles its log by itself; docs/privacy.md says where else earlier content is.
    truncateLog: async () => true,
    erasureKey: () => connection.transact(({ session }) => readErasureKey(session)),
    ...createErasureLedger(connection),
  };
}
