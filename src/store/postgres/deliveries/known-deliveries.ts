/** Finds deliveries that the database has as running although this process does not run them. */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Transact } from '../database/connections/transaction.ts';
import type { Session } from '../sql/session.ts';
import { release } from './finish.ts';
import type { HeldDelivery } from './held-delivery.ts';
import { tryLockDeliveries } from './lanes.ts';
import type { HeldRow } from './read-claimed.ts';

/**
 * The deliveries in flight that this process knows of. When the connection is cut after a commit that has started
 * deliveries, they run for the database and for nobody else: they are made pending again.
 */
export interface KnownDeliveries {
  /** Runs a write that may start deliveries. */
  starting<T>(write: () => Promise<T>): Promise<T>;
  add(started: readonly StartedRun[]): void;
  /**
   * Runs a write that ends deliveries, and removes them. It also removes a single one that is not in flight any more: an
   * earlier write has ended it, whose response was lost.
   */
  ending<T>(ended: readonly HeldDelivery[], write: () => Promise<T>): Promise<T>;
  /** As `LaneQueue.forget`: the next `releaseUnknown` finds these deliveries unless they have ended. */
  forget(deliveries: readonly HeldDelivery[]): void;
  /**
   * Makes deliveries pending that the database has as running under this lease and that this process does not run. It
   * skips locked lanes, which the next call finds. Does nothing unless a start has failed, a delivery was forgotten, or a
   * lane was skipped since.
   */
  releaseUnknown(holder: number, now: number): Promise<number>;
}

/** The run of a delivery that has begun. */
type StartedRun = Pick<HeldRow, 'delivery_id' | 'holder' | 'start'>;

export function createKnownDeliveries(transact: Transact, read: Session): KnownDeliveries {
  /** The last run of each delivery. */
  const known = new Map<number, Pick<StartedRun, 'holder' | 'start'>>();
  const writing = new Set<Promise<unknown>>();
  let inDoubt = false;
  /** What becomes known while a search for unknown runs is under way. */
  let noted: Set<string> | undefined;

  async function unknownOf(holder: number): Promise<readonly HeldDelivery[]> {
    const seen = new Set(
      [...known].filter(([, run]) => run.holder === holder).map(([id, run]) => runKey(id, run.start)),
    );
    noted = seen;
    try {
      const running = await read.rows(sql<HeldDelivery>`
        select id, handler, lane, replay_id as "replayId", holder, starts as start from deliveries
        where holder = ${holder} and status = 'running'`);
      // Wait for running writes: what they started before the read is then in `seen`.
      await Promise.allSettled(writing);
      return running.filter(({ id, start }) => !seen.has(runKey(id, start)));
    } finally {
      noted = undefined;
    }
  }

  function remove(ended: readonly HeldDelivery[]): void {
    for (const { id, holder, start } of ended) {
      const run = known.get(id);
      if (run?.holder === holder && run.start === start) known.delete(id);
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
        known.set(id, { holder, start });
        noted?.add(runKey(id, start));
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
    forget(deliveries) {
      remove(deliveries);
      inDoubt = true;
    },
    async releaseUnknown(holder, now) {
      if (!inDoubt) return 0;
      inDoubt = false;
      try {
        const unknown = await unknownOf(holder);
        if (unknown.length === 0) return 0;
        const released = await transact(async (transaction) => {
          const free = await tryLockDeliveries(transaction.session, unknown);
          if (free.length > 0) await release(transaction, free, { dueAt: now, now });
          return free.length;
        });
        if (released < unknown.length) inDoubt = true;
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
