import { sql } from 'kysely';
import type { RejectionReason } from '../../../event/delivery.ts';
import type { TransactionPart } from '../commit/batch-commit.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** The minimum bytes that an entry counts for; see the migration. */
export const MIN_ENTRY_BYTES = 512;

/** The maximum number of entries that a newcomer drops beyond its own bytes, when the quota was lowered. */
const MAX_SURPLUS_DROPPED = 256;

/** The maximum number of entries that one transaction drops: all writes that share its commit wait. */
const MAX_DROPPED_PER_TRANSACTION = 1_000;

/** The number of reasons: each may take up to a third of the quota from the others. */
const REASONS = 3;

/** An entry to be held. */
export interface Newcomer {
  readonly verified: boolean;
  readonly reason: RejectionReason;
  readonly bytes: number;
}

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
      if (!canBeHeld(newcomer, groups, maxBytes)) return { hasRoom: false, dropped: 0 };
      const mostDropped = Math.ceil(newcomer.bytes / MIN_ENTRY_BYTES) + MAX_SURPLUS_DROPPED;
      let excess = bytesOf(groups) + newcomer.bytes - maxBytes;
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

/** The counts of held entries by sender and reason. */
interface HeldGroup {
  /** 1 for verified senders, else 0. */
  readonly verified: number;
  readonly reason: string;
  held: number;
  bytes: number;
}

/** Whether dropping entries can make room: an unverified newcomer never drops verified ones. */
function canBeHeld(newcomer: Newcomer, groups: readonly HeldGroup[], maxBytes: number): boolean {
  const untouchable = newcomer.verified ? [] : groups.filter(({ verified }) => verified === 1);
  return newcomer.bytes <= maxBytes - bytesOf(untouchable);
}

/**
 * Chooses the group whose oldest entry is dropped. Unverified entries go first,
 * and are all that an unverified newcomer can drop. Among them the newcomer's
 * own reason gives way once it has its share; until then, the largest reason.
 */
function groupToDropFrom(
  newcomer: Newcomer,
  groups: readonly HeldGroup[],
  maxBytes: number,
): HeldGroup | undefined {
  const held = groups.filter((group) => group.held > 0);
  const unverified = held.filter(({ verified }) => verified === 0);
  const candidates = unverified.length > 0 || !newcomer.verified ? unverified : held;
  const own = candidates.find(({ reason }) => reason === newcomer.reason);
  if (own !== undefined && own.bytes + newcomer.bytes > maxBytes / REASONS) return own;
  return candidates.reduce<HeldGroup | undefined>(
    (largest, group) => (largest === undefined || group.bytes > largest.bytes ? group : largest),
    undefined,
  );
}

function bytesOf(groups: readonly HeldGroup[]): number {
  return groups.reduce((sum, { bytes }) => sum + bytes, 0);
}
