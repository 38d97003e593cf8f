import type { NotNull } from 'kysely';
import type { ClockJumps } from './clock-jumps.ts';
import type { Connection } from './connection.ts';
import { prepare, type Named } from './statement.ts';

/** Frees what a crashed owner left claimed. To be called inside a transaction. */
export type Recover = () => number;

/** Tries from which on a delivery that was cut short may be what ends the process. */
const SUSPICIOUS = 2;
/** Milliseconds between the suspects, and that the last of them waits at most. */
const APART_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

interface CutShort {
  readonly id: number;
  readonly lane_id: number;
  readonly attempts: number;
}

/**
 * A delivery that ends the process is cut short each time, and with it all that
 * run beside it: they would use up their tries together. So the suspects start
 * one after the other, and whoever has not begun when the process ends again
 * loses no try. The most tried comes first, and ties go one way round and then
 * the other: after two more ends the culprit is ahead of all, and ends alone.
 */
export function createRecover({ database, query, clock }: Connection, clockJumps: ClockJumps): Recover {
  const cutShort = prepare<object, CutShort>(database, () =>
    query
      .selectFrom('deliveries')
      .select(['id', 'lane_id', 'attempts'])
      .where('finished_at', 'is', null)
      .where('status', '=', 'running')
      .where('lane_id', 'in', (eb) => eb.selectFrom('lanes').select('id').where('claimed', '=', 1))
      .$narrowType<{ lane_id: NotNull }>(),
  );
  const requeue = prepare(database, (p: Named<{ id: number; dueAt: number; now: number; reason: string }>) =>
    query
      .updateTable('deliveries')
      .set({ status: 'pending', due_at: p.dueAt, asked_at: p.now, last_error: p.reason })
      .where('id', '=', p.id),
  );
  const delay = prepare(database, (p: Named<{ lane: number; dueAt: number }>) =>
    query.updateTable('lanes').set({ due_at: p.dueAt }).where('id', '=', p.lane),
  );
  const release = prepare(database, (p: Named<{ now: number }>) =>
    query.updateTable('lanes').set({ claimed: 0, due_at: p.now, asked_at: p.now }).where('claimed', '=', 1),
  );

  return () => {
    const now = clock.now();
    const deliveries = cutShort.all({});
    release.run({ now });
    let suspects = 0;
    for (const { id, lane_id, attempts } of deliveries.toSorted(bySuspicion)) {
      const waitMs = attempts < SUSPICIOUS ? 0 : Math.min(APART_MS * suspects++, LONGEST_WAIT_MS);
      const dueAt = now + waitMs;
      requeue.run({ id, dueAt, now, reason: `the process ended during try ${String(attempts)}` });
      delay.run({ lane: lane_id, dueAt });
    }
    clockJumps.endBrokenWaits(now);
    return deliveries.length;
  };
}

function bySuspicion(one: CutShort, other: CutShort): number {
  const direction = one.attempts % 2 === 0 ? 1 : -1;
  return other.attempts - one.attempts || direction * (one.id - other.id);
}
