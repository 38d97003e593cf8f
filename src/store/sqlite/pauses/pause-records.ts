/** Stores and reads pauses. */
import { sql } from 'kysely';
import type { Pause, Pauses, PauseScope } from '../../pauses.ts';
import type { Connection } from '../sql/connection.ts';
import { rowOf } from '../../shared/ids.ts';
import { MAX_SEARCHED, pauseOf, type PauseRow } from '../../shared/pause-record.ts';
import { prepare, rowsNow, runNow } from '../sql/statement.ts';

/** Writes pauses. Called inside a transaction. */
export interface PauseWrites {
  pause(scope: PauseScope, about: Parameters<Pauses['pause']>[1]): Pause;
  resume(ids: readonly string[]): readonly Pause[];
  acknowledgePauses(ids: readonly string[], now: number): void;
}

/** Returns all pauses, also those whose end has passed. */
export function readPauses({ database, query }: Connection): readonly Pause[] {
  return rowsNow<PauseRow>(database, query.selectFrom('pauses').selectAll().orderBy('id')).map(pauseOf);
}

/** Notes that pauses have changed, so that whoever keeps them reads them again. */
export function notePauseChange({ database, query }: Connection): void {
  runNow(
    database,
    query.updateTable('pause_changes').set((eb) => ({ changes: eb('changes', '+', 1) })),
  );
}

export function createPauseWrites(connection: Connection): PauseWrites {
  const { database, query } = connection;

  function find({ handler, source, subject }: PauseScope): PauseRow | undefined {
    const same = query
      .selectFrom('pauses')
      .selectAll()
      .where('handler', 'is', handler)
      .where('source', 'is', source)
      .where('family', 'is', subject?.family ?? null)
      .where('entity', 'is', subject?.id ?? null);
    return rowsNow<PauseRow>(database, same)[0];
  }

  return {
    pause(scope, { reason, pausedBy, until, now }) {
      const about = { reason, paused_by: pausedBy, until };
      const known = find(scope);
      // An end that has passed ended the pause, whether or not a claim has removed it.
      const isOver = known !== undefined && known.until !== null && known.until <= now;
      if (isOver) runNow(database, query.deleteFrom('pauses').where('id', '=', known.id));
      if (known === undefined || isOver) {
        const { handler, source, subject } = scope;
        const place = { handler, source, family: subject?.family ?? null, entity: subject?.id ?? null };
        runNow(database, query.insertInto('pauses').values({ ...place, ...about, paused_at: now }));
      } else runNow(database, query.updateTable('pauses').set(about).where('id', '=', known.id));
      notePauseChange(connection);
      const stored = find(scope);
      if (stored === undefined) throw new Error('a pause is missing in its transaction');
      return pauseOf(stored);
    },
    resume(ids) {
      const wanted = new Set(ids.map((id) => rowOf('p', id)));
      const found = readPauses(connection).filter(({ id }) => wanted.has(rowOf('p', id)));
      for (const { id } of found)
        runNow(database, query.deleteFrom('pauses').where('id', '=', rowOf('p', id) ?? 0));
      if (found.length > 0) notePauseChange(connection);
      return found;
    },
    acknowledgePauses(ids, now) {
      for (const id of ids)
        runNow(
          database,
          query
            .updateTable('pauses')
            .set({ acknowledged_at: now })
            .where('id', '=', rowOf('p', id) ?? 0)
            .where('acknowledged_at', 'is', null),
        );
    },
  };
}

/** Returns the pauses in force. */
export function pausesInForce(connection: Connection): readonly Pause[] {
  const now = connection.clock.now();
  return readPauses(connection).filter(({ until }) => until === null || until > now);
}

export function createPauseReads({ query }: Connection): Pick<Pauses, 'pausedDeliveries'> {
  return {
    async pausedDeliveries({ handler, source, subject }, most) {
      let pending = query
        .selectFrom('deliveries')
        .innerJoin('events', 'events.id', 'deliveries.event_id')
        .innerJoin('subjects', 'subjects.id', 'events.subject_id')
        .select(sql<number>`1`.as('one'))
        .where('deliveries.finished_at', 'is', null)
        .where('deliveries.status', '=', 'pending');
      if (handler !== null)
        pending = pending.where('deliveries.handler', 'in', [handler, `${handler}/effects`]);
      if (source !== null) pending = pending.where('subjects.source', '=', source);
      if (subject !== null) {
        pending = pending
          .where('subjects.family', '=', subject.family)
          .where('subjects.entity', '=', subject.id);
      } else if (source !== null) {
        // Without a subject nothing narrows a source: the oldest of the backlog are searched.
        const oldest = query
          .selectFrom('deliveries as waiting')
          .select('waiting.id')
          .where('waiting.finished_at', 'is', null)
          .orderBy('waiting.event_id')
          .limit(MAX_SEARCHED);
        pending = pending.where('deliveries.id', 'in', oldest);
      }
      const { deliveries } = await query
        .selectFrom(pending.limit(most + 1).as('pending'))
        .select(({ fn }) => fn.countAll<number>().as('deliveries'))
        .executeTakeFirstOrThrow();
      return { deliveries: Math.min(deliveries, most), more: deliveries > most };
    },
  };
}

/** Reads that dispatching waits for, so they run where it does. */
export function createPausePointReads(connection: Connection): Pick<Pauses, 'pauses' | 'pauseChanges'> {
  const { database, query } = connection;
  const read = prepare(database, () =>
    query
      .selectFrom('pause_changes')
      .select('changes')
      .where((eb) => eb('id', '=', eb.lit(1))),
  );
  return {
    pauses: () => Promise.resolve(pausesInForce(connection)),
    pauseChanges: () => Promise.resolve(read.get({})?.changes ?? 0),
  };
}
