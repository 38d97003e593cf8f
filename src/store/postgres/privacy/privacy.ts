/** All methods of `Privacy` on a store in PostgreSQL. */
import type { Privacy } from '../../privacy.ts';
import type { Connection } from '../sql/connection.ts';
import { createContentReads } from '../../shared/privacy/content-reads.ts';
import { createEraseContents } from '../../shared/privacy/erase-contents.ts';
import { transacted } from '../sql/perform.ts';
import { postgresContents } from './content-tables.ts';
import { createErasureLedger } from './erasure-ledger.ts';
import { erasureParts } from './erasure-parts.ts';
import { readErasureKey } from './keyed-digest.ts';

/**
 * Finds and erases personal data. What keeps erasures apart is no part of it: errors of the work
 * that it runs are not errors of the store.
 */
export function createPrivacy(
  connection: Connection,
): Omit<Privacy, 'eraseAlone' | 'erasing' | 'hold' | 'removeHolds' | 'holds'> {
  return {
    // PostgreSQL recycles its log by itself; docs/privacy.md says where else earlier content is.
    truncateLog: async () => true,
    erasureKey: () => connection.transact(({ session }) => readErasureKey(session)),
    ...createContentReads(connection, postgresContents),
    // Not `transactLanes`: a hold would come in between its tries.
    ...transacted(connection.transact, createEraseContents(connection, erasureParts)),
    ...createErasureLedger(connection),
  };
}
