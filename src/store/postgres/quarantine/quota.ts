/** Keeps the quarantine within its quota. */
import { sql } from 'kysely';
import {
  canFit,
  excessOf,
  groupToDropFrom,
  MAX_DROPPED_PER_TRANSACTION,
  mostDroppedBy,
  type QuarantineGroup,
  type Newcomer,
} from '../../shared/quarantine/quarantine-quota.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** How many of the oldest entries are read at once. */
const STEP = 64;

/**
 * Keeps the held entries within the quota, in one transaction. Processes do not wait for each other: what
 * several hold at the same instant can exceed the quota, and the next newcomer makes up for it.
 */
export interface Quota {
  /**
   * Chooses the oldest entries to drop until the newcomer fits. After the maximum of the transaction, a verified
   * newcomer is held above the quota, to be made up for by later ones, and an unverified one finds no room.
   */
  makeRoom(newcomer: Newcomer): Promise<{ readonly hasRoom: boolean; readonly dropped: number }>;
  /** Counts a newcomer that was stored. */
  countStored(newcomer: Newcomer): void;
  /** Counts a newcomer that found no room. */
  countDropped(newcomer: Newcomer): void;
  hasDropped(row: number): boolean;
  /** Removes the dropped entries. */
  write(): Promise<void>;
}

interface Oldest {
  readonly id: number;
  readonly bytes: number;
}

export function createQuota(session: Session, maxBytes: number): Quota {
  let groups: QuarantineGroup[] | undefined;
  const oldest = new Map<QuarantineGroup, Oldest[]>();
  const cursors = new Map<QuarantineGroup, number>();
  const dropped = new Set<number>();
  const withoutRoom: Newcomer[] = [];

  async function takeOldest(group: QuarantineGroup): Promise<Oldest | undefined> {
    const read = oldest.get(group) ?? [];
    if (read.length === 0) read.push(...(await readOldest(session, group, cursors.get(group) ?? 0)));
    oldest.set(group, read);
    const first = read.shift();
    if (first !== undefined) cursors.set(group, first.id);
    return first;
  }

  return {
    async makeRoom(newcomer) {
      groups ??= await readGroups(session);
      if (!canFit(newcomer, groups, maxBytes)) return { hasRoom: false, dropped: 0 };
      const most = mostDroppedBy(newcomer);
      let excess = excessOf(newcomer, groups, maxBytes);
      let count = 0;
      while (excess > 0 && count < most) {
        if (dropped.size >= MAX_DROPPED_PER_TRANSACTION)
          return { hasRoom: newcomer.verified, dropped: count };
        const group = groupToDropFrom(newcomer, groups, maxBytes);
        const gone = group && (await takeOldest(group));
        if (group === undefined || gone === undefined) break;
        group.held -= 1;
        group.bytes -= gone.bytes;
        excess -= gone.bytes;
        count += 1;
        dropped.add(gone.id);
      }
      return { hasRoom: true, dropped: count };
    },
    countStored({ verified, reason, bytes }) {
      const of = verified ? 1 : 0;
      const group = groups?.find((one) => one.verified === of && one.reason === reason);
      if (group === undefined) groups?.push({ verified: of, reason, held: 1, bytes });
      else {
        group.held += 1;
        group.bytes += bytes;
      }
    },
    countDropped: (newcomer) => void withoutRoom.push(newcomer),
    hasDropped: (row) => dropped.has(row),
    async write() {
      if (dropped.size > 0)
        await session.run(sql`delete from quarantine where ${isAnyOf('id', [...dropped], 'bigint')}`);
      if (withoutRoom.length === 0) return;
      await session.run(sql`
        insert into quarantine_counts (verified, reason, dropped, dropped_bytes)
        select verified, reason, count(*), sum(bytes)
        from ${unnestOf('newcomers', withoutRoom, {
          verified: ['smallint', ({ verified }) => (verified ? 1 : 0)],
          reason: ['text', ({ reason }) => reason],
          bytes: ['bigint', ({ bytes }) => bytes],
        })}
        group by verified, reason`);
    },
  };
}

function readGroups(session: Session): Promise<QuarantineGroup[]> {
  return session.rows(sql<QuarantineGroup>`
    select verified, reason, sum(held) as held, sum(bytes) as bytes
    from quarantine_counts group by verified, reason order by verified, reason`);
}

/** Locks the entries. One that another process drops or releases is left to it. */
function readOldest(
  session: Session,
  { verified, reason }: QuarantineGroup,
  after: number,
): Promise<Oldest[]> {
  return session.rows(sql<Oldest>`
    select id, bytes from quarantine
    where verified = ${verified} and reason = ${reason} and status = 'held' and id > ${after}
    order by id limit ${STEP} for update skip locked`);
}
