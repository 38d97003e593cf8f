/**
 * Finds orphaned runs: deliveries that the database has as running under this lease, and that nobody runs. The memory
 * of own runs needs no lock; what must stay is that the database is read before the running writes are waited for.
 */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Transact } from '../database/connections/transaction.ts';
import type { Session } from '../sql/session.ts';
import { release as releaseDeliveries } from './finish.ts';
import type { OwnedDelivery } from './owned-delivery.ts';
import { tryLockDeliveries } from './lanes.ts';
import type { StartedRow } from './read-claimed.ts';

/**
 * The runs of this process, and those that the database has beyond them. When the connection is cut after a commit that
 * has started deliveries, their runs are orphaned: they are made pending again.
 */
export interface OrphanedRuns {
  /** Runs a write that may start deliveries. */
  starting<T>(write: () => Promise<T>): Promise<T>;
  add(started: readonly StartedRun[]): void;
  /**
   * Runs a write that ends deliveries, and removes them. It also removes a single one that is not in flight any more: an
   * earlier write has ended it, whose response was lost.
   */
  ending<T>(ended: readonly OwnedDelivery[], write: () => Promise<T>): Promise<T>;
  /** As `LaneQueue.abandon`: the next `release` finds these deliveries unless they have ended. */
  abandon(deliveries: readonly OwnedDelivery[]): void;
  /**
   * Makes the deliveries of orphaned runs pending, and returns their number. It skips locked lanes, which the next call
   * finds. It looks for orphaned runs only after a start has failed, a delivery was abandoned, or a lane was skipped.
   */
  release(holder: number, now: number): Promise<number>;
}

/** The run of a delivery that has begun. */
type StartedRun = Pick<StartedRow, 'delivery_id' | 'holder' | 'start'>;

export function createOrphanedRuns(transact: Transact, read: Session): OrphanedRuns {
  /** The last run in this process of each delivery in flight. */
  const own = new Map<number, Pick<StartedRun, 'holder' | 'start'>>();
  const writing = new Set<Promise<unknown>>();
  let inDoubt = false;
  /** Runs that this process starts while a search for orphaned ones is under way. */
  let startedMeanwhile: Set<string> | undefined;

  async function orphansOf(holder: number): Promise<readonly OwnedDelivery[]> {
    const seen = new Set(
      [...own].filter(([, run]) => run.holder === holder).map(([id, run]) => runKey(id, run.start)),
    );
    startedMeanwhile = seen;
    try {
      const running = await read.rows(sql<OwnedDelivery>`
        select id, handler, lane, replay_id as "replayId", holder, starts as start from deliveries
        where holder = ${holder} and status = 'running'`);
      // Wait for running writes: what they started before the read is then in `seen`.
      await Promise.allSettled(writing);
      return running.filter(({ id, start }) => !seen.has(runKey(id, start)));
    } finally {
      startedMeanwhile = undefined;
    }
  }

  function remove(ended: readonly OwnedDelivery[]): void {
    for (const { id, holder, start } of ended) {
      const run = own.get(id);
      if (run?.holder === holder && run.start === start) own.delete(id);
    }
  }

  return {
    async starting(run) {
      const result = run();
      writing.add(result);
      try {
        return await result;
      } catch (error) {
        // A locked lane: nothing was stored.
        if (!PortariaError.is(error, 'lane-locked')) inDoubt = true;
        throw error;
      } finally {
        writing.delete(result);
      }
    },
    add(started) {
      for (const { delivery_id: id, holder, start } of started) {
        own.set(id, { holder, start });
        startedMeanwhile?.add(runKey(id, start));
      }
    },
    async ending(ended, write) {
      try {
        const result = await write();
        remove(ended);
        return result;
      } catch (error) {
        if (PortariaError.is(error, 'invalid-argument') && ended.length === 1) remove(ended);
        throw error;
      }
    },
    abandon(deliveries) {
      remove(deliveries);
      inDoubt = true;
    },
    async release(holder, now) {
      if (!inDoubt) return 0;
      inDoubt = false;
      try {
        const orphans = await orphansOf(holder);
        if (orphans.length === 0) return 0;
        const released = await transact(async (transaction) => {
          const free = await tryLockDeliveries(transaction.session, orphans);
          if (free.length > 0) await releaseDeliveries(transaction, free, { dueAt: now, now });
          return free.length;
        });
        if (released < orphans.length) inDoubt = true;
        return released;
      } catch (error) {
        inDoubt = true;
        throw error;
      }
    },
  };
}

function runKey(id: number, start: number): string {
  return `${String(id)} ${String(start)}`;
}
