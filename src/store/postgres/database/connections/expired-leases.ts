/** Finds the leases of processes that have died, and deletes them. */
import { sql } from 'kysely';
import type { Clock } from '../../../../kernel/time/clock.ts';
import { unnestOf } from '../../sql/expressions.ts';
import type { Session } from '../../sql/session.ts';
import { deleteLeases, HEARTBEAT_MS, LEASE_MS } from './lease.ts';
import type { Transact } from './transaction.ts';

/**
 * Milliseconds between two checks of the leases after which all of them count from the start again: when the database
 * was away, so were the heartbeats of processes that are well.
 */
const MAX_GAP_MS = LEASE_MS / 2;

export interface LeaseWatch {
  /**
   * Reads the leases, and deletes those whose processes have died. Returns the number of the deleted ones.
   *
   * A lease has expired once this process saw it without a heartbeat for {@link LEASE_MS} by its own monotonic clock:
   * the clock of the database may jump, and no process can renew its lease while the database is away.
   */
  deleteExpired(): Promise<number>;
}

interface Seen {
  /** The heartbeat, as the database tells it. */
  readonly heartbeat: string;
  /** When it came, by the monotonic clock. */
  readonly since: number;
}

export function createLeaseWatch(deps: {
  readonly read: Session;
  readonly transact: Transact;
  readonly clock: Pick<Clock, 'monotonic'>;
}): LeaseWatch {
  const { read, transact, clock } = deps;
  let seen: ReadonlyMap<number, Seen> = new Map();
  let checkedAt = -Infinity;

  async function readLeases(): Promise<void> {
    const before = clock.monotonic();
    const leases = await read.rows(sql<{ holder: number; heartbeat: string; age: number }>`
      select holder, seen_at::text as heartbeat,
        (extract(epoch from clock_timestamp() - seen_at) * 1000)::double precision as age
      from leases`);
    const isGap = clock.monotonic() - checkedAt > MAX_GAP_MS;
    checkedAt = before;
    seen = new Map(
      leases.map(({ holder, heartbeat, age }) => {
        const known = seen.get(holder);
        if (!isGap && known?.heartbeat === heartbeat) return [holder, known];
        // It came since the last check. After a gap nothing is known of when.
        const since = isGap ? before : before - Math.min(Math.max(age, 0), HEARTBEAT_MS);
        return [holder, { heartbeat, since }];
      }),
    );
  }

  return {
    async deleteExpired() {
      await readLeases();
      const expired = [...seen].filter(([, { since }]) => checkedAt - since > LEASE_MS);
      if (expired.length === 0) return 0;
      // A heartbeat that came after the check keeps its lease. Two processes do not wait for each other.
      return transact(({ session }) =>
        deleteLeases(
          session,
          sql<boolean>`
            holder in (
              select leases.holder from leases
              join ${unnestOf('expired', expired, {
                holder: ['bigint', ([holder]) => holder],
                heartbeat: ['text', ([, { heartbeat }]) => heartbeat],
              })}
                on leases.holder = expired.holder and leases.seen_at = expired.heartbeat::timestamptz
              order by leases.holder for update of leases skip locked
            )`,
        ),
      );
    },
  };
}
