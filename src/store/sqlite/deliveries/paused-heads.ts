/** Keeps the heads that a pause holds back away from claims. */
import {
  createKnownPauses,
  type EventName,
  type PausableDelivery,
} from '../../shared/deliveries/known-pauses.ts';
import { HEAD, PARKED_HEAD, UNPARK_STEP } from '../../shared/deliveries/head-values.ts';
import type { TransactionPart } from '../commit/batch-commit.ts';
import { pauseOf } from '../../shared/pauses/pause-record.ts';
import { allPauses, notePauseChange } from '../../shared/pauses/pauses.ts';
import { rows, run } from '../../shared/sql/statements.ts';
import { perform } from '../sql/perform.ts';
import type { Connection } from '../sql/connection.ts';
import { valuesOf } from '../sql/expressions.ts';
import { prepare, runNow, type Named } from '../sql/statement.ts';

/**
 * Keeps the deliveries of paused sources and lanes out of the claim's way.
 *
 * A claim that meets a paused head parks it: `head` becomes PARKED_HEAD, and the index of due heads no longer has it.
 * So 1,000 paused lanes cost a claim nothing, and a pause or its end is one row, whatever waits. After each
 * change of the pauses, claims look through the parked heads in steps, and put back those that may run.
 * Handlers that are paused as a whole are left out of the claim instead.
 */
export interface PausedHeads extends TransactionPart {
  /** The handlers without those that are paused as a whole. */
  admitted(handlers: readonly string[], now: number): readonly string[];
  /** Whether a delivery may not start. */
  isPaused(delivery: PausableDelivery, now: number): boolean;
  /** To be called after a write that has changed the pauses: later ones of its transaction read them again. */
  changed(): void;
  /** Takes paused heads out of the way. */
  park(ids: readonly number[]): void;
  /** Puts back parked heads that are no longer paused, a step of them; returns whether there may be more. */
  unpark(now: number): boolean;
}

export function createPausedHeads(connection: Connection): PausedHeads {
  const { database, query } = connection;
  const readChanges = prepare(database, () =>
    query
      .selectFrom('pause_changes')
      .select('changes')
      .where((eb) => eb('id', '=', eb.lit(1))),
  );
  const ofSubject = prepare(database, (p: Named<{ subject: number }>) =>
    query.selectFrom('subjects').select(['source', 'family', 'entity']).where('id', '=', p.subject),
  );
  const subjectOfEvent = prepare(database, (p: Named<{ event: number }>) =>
    query.selectFrom('events').select('subject_id').where('id', '=', p.event),
  );
  const park = prepare(database, (p: Named<{ ids: string }>) =>
    query.updateTable('deliveries').set({ head: PARKED_HEAD }).where('id', 'in', valuesOf<number>(p.ids)),
  );
  const parked = prepare(database, (p: Named<{ after: number; most: number }>) =>
    query
      .selectFrom('deliveries')
      .select(['id', 'handler', 'lane', 'event_id'])
      .where((eb) => eb('head', '=', eb.lit(PARKED_HEAD)))
      .where('id', '>', p.after)
      .orderBy('id')
      .limit(p.most),
  );
  const unpark = prepare(database, (p: Named<{ ids: string; now: number }>) =>
    query
      .updateTable('deliveries')
      .set((eb) => ({
        head: HEAD,
        // A wait decided in the future is of a clock that went back, as in clock-jumps.ts.
        due_at: eb.case().when('asked_at', '>', p.now).then(p.now).else(eb.ref('due_at')).end(),
        asked_at: eb.case().when('asked_at', '>', p.now).then(p.now).else(eb.ref('asked_at')).end(),
      }))
      .where('id', 'in', valuesOf<number>(p.ids)),
  );

  const pauses = createKnownPauses();
  /** The changes that `pauses` includes; -1 before the first read. */
  let known = -1;
  /** Whether `known` was compared in this transaction. */
  let checked = false;
  /** The last parked head that was looked at since the last change; null when all were. */
  let searched: number | null = 0;

  function refresh(now: number): void {
    if (!checked) {
      checked = true;
      const changes = readChanges.get({})?.changes ?? 0;
      if (changes !== known) load(changes);
    }
    if (now < pauses.nextEnd()) return;
    runNow(database, query.deleteFrom('pauses').where('until', '<=', now));
    perform(connection, run(notePauseChange));
    load(readChanges.get({})?.changes ?? 0);
  }

  function load(changes: number): void {
    pauses.use(perform(connection, rows(allPauses)).map(pauseOf));
    known = changes;
    searched = 0;
  }

  function nameOf({ lane, event_id: event }: PausableDelivery): EventName | undefined {
    // Lanes by subject have the subject's number.
    const subjectId = lane > 0 ? lane : (subjectOfEvent.get({ event })?.subject_id ?? 0);
    const row = ofSubject.get({ subject: subjectId });
    return row && { source: row.source, subject: { family: row.family, id: row.entity } };
  }

  function isCovered(delivery: PausableDelivery): boolean {
    return pauses.covers(delivery) ?? pauses.coversNamed(delivery, nameOf(delivery));
  }

  return {
    admitted(handlers, now) {
      refresh(now);
      return pauses.admitted(handlers);
    },
    isPaused(delivery, now) {
      refresh(now);
      return !pauses.isEmpty() && isCovered(delivery);
    },
    changed() {
      checked = false;
    },
    park(ids) {
      park.run({ ids: JSON.stringify(ids) });
    },
    unpark(now) {
      refresh(now);
      if (searched === null) return false;
      const found = parked.all({ after: searched, most: UNPARK_STEP });
      const free = found.filter((head) => !isCovered(head)).map(({ id }) => id);
      if (free.length > 0) unpark.run({ ids: JSON.stringify(free), now });
      searched = found.length < UNPARK_STEP ? null : (found.at(-1)?.id ?? null);
      return searched !== null;
    },
    committed() {
      checked = false;
    },
    undone() {
      checked = false;
      known = -1;
    },
  };
}
