import { sql } from 'kysely';
import type { Connection } from '../sql/connection.ts';
import { bytesOf, canBeHeld, groupThatGivesWay, type Newcomer } from './quarantine-rule.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { TransactionPart } from '../commit/transaction-part.ts';

/** What each entry counts for at least; see the migration. */
export const MIN_ENTRY_BYTES = 512;

/** Entries dropped by each newcomer beyond its own bytes while the quarantine is over a quota that was lowered. */
const MAX_SURPLUS_DROPPED = 256;

/** Entries that one transaction drops at most: its commit, and all who share it, wait for that. */
const MAX_DROPPED_TOGETHER = 1_000;

/** Keeps the held entries within the quota; to be called inside a transaction. */
export interface QuarantineRoom {
  /** Counts what the transaction has dropped. */
  readonly part: TransactionPart;
  /**
   * Drops the oldest entries until the newcomer fits. All that is dropped takes
   * no longer than the newcomer's own bytes do: an entry has some bytes at least.
   * Once the transaction has dropped its most, a verified newcomer is held above
   * the quota, which later ones make up for, and an unverified one finds no room.
   */
  makeFor(newcomer: Newcomer): { readonly found: boolean; readonly dropped: number };
  /** Counts a newcomer that found no room. */
  countUnheld(newcomer: Newcomer): void;
}

export function createQuarantineRoom({ database, query }: Connection, quota: number): QuarantineRoom {
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

  let droppedTogether = 0;
  const forget = (): void => void (droppedTogether = 0);

  return {
    part: {
      committed: forget,
      undone: forget,
      mark() {
        const before = droppedTogether;
        return () => void (droppedTogether = before);
      },
    },
    makeFor(newcomer) {
      const groups = readCounts.all({}).map((group) => ({ ...group }));
      if (!canBeHeld(newcomer, groups, quota)) return { found: false, dropped: 0 };
      const mostDropped = Math.ceil(newcomer.bytes / MIN_ENTRY_BYTES) + MAX_SURPLUS_DROPPED;
      let excess = bytesOf(groups) + newcomer.bytes - quota;
      let dropped = 0;
      while (excess > 0 && dropped < mostDropped) {
        if (droppedTogether >= MAX_DROPPED_TOGETHER) return { found: newcomer.verified, dropped };
        const group = groupThatGivesWay(newcomer, groups, quota);
        const gone = group && dropOldest.get({ verified: group.verified, reason: group.reason });
        if (group === undefined || gone === undefined) break;
        group.held -= 1;
        group.bytes -= gone.bytes;
        excess -= gone.bytes;
        dropped += 1;
        droppedTogether += 1;
      }
      return { found: true, dropped };
    },
    countUnheld({ verified, reason, bytes }) {
      countDropped.run({ verified: verified ? 1 : 0, reason, bytes });
    },
  };
}
