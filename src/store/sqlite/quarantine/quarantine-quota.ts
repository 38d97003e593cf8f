/** Bounds the bytes of the quarantine. */
import { sql } from 'kysely';
import type { TransactionPart } from '../commit/batch-commit.ts';
import {
  canFit,
  excessOf,
  groupToDropFrom,
  MAX_DROPPED_PER_TRANSACTION,
  mostDroppedBy,
  type Newcomer,
} from '../../shared/quarantine/quarantine-quota.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** Keeps the held entries within the quota. Called inside a transaction. */
export interface QuarantineQuota {
  /** Counts the entries that the transaction has dropped. */
  readonly part: TransactionPart;
  /**
   * Drops the oldest entries until the newcomer fits. The work is bounded by the
   * newcomer's own bytes, because an entry has a minimum size. After the maximum
   * of the transaction, a verified newcomer is held above the quota, to be made
   * up for by later ones, and an unverified one finds no room.
   */
  makeRoom(newcomer: Newcomer): { readonly hasRoom: boolean; readonly dropped: number };
  /** Counts a newcomer that found no room. */
  countDropped(newcomer: Newcomer): void;
}

export function createQuarantineQuota({ database, query }: Connection, maxBytes: number): QuarantineQuota {
  const readCounts = prepare(database, () =>
    query.selectFrom('quarantine_counts').select(['verified', 'reason', 'held', 'bytes']),
  );
  const dropOldest = prepare(database, (p: Named<{ verified: number; reason: string }>) =>
    query
      .deleteFrom('quarantine')
      .where('id', '=', (eb) =>
        eb
          .selectFrom('quarantine')
          .select((oldest) => oldest.fn.min<number>('id').as('id'))
          .where('verified', '=', p.verified)
          .where('reason', '=', p.reason)
          .where('status', '=', sql.lit('held')),
      )
      .returning('bytes'),
  );
  const countDropped = prepare(database, (p: Named<{ verified: number; reason: string; bytes: number }>) =>
    query
      .insertInto('quarantine_counts')
      .values({ verified: p.verified, reason: p.reason, dropped: 1, dropped_bytes: p.bytes })
      .onConflict((conflict) =>
        conflict.columns(['verified', 'reason']).doUpdateSet((eb) => ({
          dropped: eb('quarantine_counts.dropped', '+', 1),
          dropped_bytes: eb('quarantine_counts.dropped_bytes', '+', eb.ref('excluded.dropped_bytes')),
        })),
      ),
  );

  let droppedInTransaction = 0;
  const reset = (): void => void (droppedInTransaction = 0);

  return {
    part: { committed: reset, undone: reset },
    makeRoom(newcomer) {
      const groups = readCounts.all({}).map((group) => ({ ...group }));
      if (!canFit(newcomer, groups, maxBytes)) return { hasRoom: false, dropped: 0 };
      const mostDropped = mostDroppedBy(newcomer);
      let excess = excessOf(newcomer, groups, maxBytes);
      let dropped = 0;
      while (excess > 0 && dropped < mostDropped) {
        if (droppedInTransaction >= MAX_DROPPED_PER_TRANSACTION)
          return { hasRoom: newcomer.verified, dropped };
        const group = groupToDropFrom(newcomer, groups, maxBytes);
        const gone = group && dropOldest.get({ verified: group.verified, reason: group.reason });
        if (group === undefined || gone === undefined) break;
        group.held -= 1;
        group.bytes -= gone.bytes;
        excess -= gone.bytes;
        dropped += 1;
        droppedInTransaction += 1;
      }
      return { hasRoom: true, dropped };
    },
    countDropped({ verified, reason, bytes }) {
      countDropped.run({ verified: verified ? 1 : 0, reason, bytes });
    },
  };
}
