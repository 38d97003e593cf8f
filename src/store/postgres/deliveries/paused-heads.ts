/** Keeps the deliveries of paused sources and lanes out of the claims' way. */
import { sql } from 'kysely';
import {
  createKnownPauses,
  type EventName,
  type PausableDelivery,
} from '../../shared/deliveries/known-pauses.ts';
import { TOLERATED_MS } from '../../shared/deliveries/due-time.ts';
import { HEAD, PARKED_HEAD, UNPARK_STEP } from '../../shared/deliveries/head-values.ts';
import { pauseOf, type PauseRow } from '../../shared/pauses/pause-record.ts';
import { notePauseChange } from '../../shared/pauses/pauses.ts';
import type { Transact } from '../database/connections/transaction.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { isAnyOf, isLockedAs } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

type NumberedDelivery = PausableDelivery & { readonly delivery_id: number };

/**
 * Keeps the deliveries of paused sources and lanes out of the claims' way.
 *
 * A claim that meets a paused head parks it: `head` becomes PARKED_HEAD, and the index of due heads no longer has it.
 * So 1,000 paused lanes cost a claim nothing, and a pause or its end is one row, whatever waits. After each
 * change of the pauses, claims look through the parked heads in steps, and put back those that may run.
 * Handlers that are paused as a whole are left out of the claim instead.
 *
 * The pauses are kept in memory with the number of their last change, which every claim and every outcome reads in
 * its transaction: so a pause that any process has stored counts at once in all of them.
 */
export interface PausedHeads {
  /** The number of the last change that is known; -1 before the first read. */
  changes(): number;
  /** Reads the pauses again. */
  load(session: Session): Promise<void>;
  /** The handlers without those that are paused as a whole. */
  admitted(handlers: readonly string[], now: number): readonly string[];
  /** Returns the ids of the deliveries that may not start, by the pauses as they are now. */
  pausedOf(session: Session, deliveries: readonly NumberedDelivery[], now: number): Promise<Set<number>>;
  /** As `pausedOf`, by the pauses as they are known. */
  knownPausedOf(session: Session, deliveries: readonly NumberedDelivery[], now: number): Promise<Set<number>>;
  /**
   * Takes paused heads out of the way, and returns how many: those that another transaction has locked stay. Returns
   * null, and takes none, when the pauses have changed.
   */
  park(session: Session, ids: readonly number[]): Promise<number | null>;
  /**
   * Removes pauses whose end has passed, and puts back parked heads that are no longer paused, a step of them.
   *
   * @returns whether there may be more of them
   */
  unparkStep(transact: Transact, now: number): Promise<boolean>;
  /** Looks through the parked heads again: those of a process that has died, for example. */
  searchAgain(): void;
}

/** Milliseconds until parked heads that another transaction had locked are searched again. */
const LOCKED_SEARCH_MS = 1_000;

/**
 * Reads the number of the last change of the pauses. The id is a parameter, because only statements with parameters
 * are prepared, and each outcome reads this one.
 */
const currentChanges = sql<{ changes: number }>`select changes from pause_changes where id = ${1}`;

export function createPausedHeads(clock: Pick<Clock, 'monotonic'>): PausedHeads {
  const pauses = createKnownPauses();
  /** When the first of all stored pauses ends by itself, and is to be removed. */
  let nextRemoval = Infinity;
  let known = -1;
  /** The id of the last parked head that was looked at since the last change of the pauses; null after all were. */
  let searched: number | null = 0;
  /** Where to search again for heads that were locked, and when, by the monotonic clock. */
  let lockedSearch: { readonly after: number; readonly at: number } | null = null;

  async function load(session: Session): Promise<void> {
    // One statement, so that the pauses are those of the number.
    const rows = await session.rows(
      sql<{ changes: number } & PauseRow>`
        select pause_changes.changes, pauses.* from pause_changes left join pauses on true
        where pause_changes.id = 1 order by pauses.id`,
    );
    const all = rows.filter((row) => (row.id as number | null) !== null).map(pauseOf);
    const changes = rows[0]?.changes ?? 0;
    pauses.use(all);
    nextRemoval = pauses.nextEnd();
    if (changes !== known) searchAgain();
    known = changes;
  }

  function searchAgain(): void {
    searched = 0;
    lockedSearch = null;
  }

  async function knownPausedOf(
    session: Session,
    deliveries: readonly NumberedDelivery[],
    now: number,
  ): Promise<Set<number>> {
    pauses.dropEnded(now);
    const found = new Set<number>();
    if (pauses.isEmpty()) return found;
    const unknown: NumberedDelivery[] = [];
    for (const delivery of deliveries) {
      const covered = pauses.covers(delivery);
      if (covered === undefined) unknown.push(delivery);
      else if (covered) found.add(delivery.delivery_id);
    }
    if (unknown.length === 0) return found;
    const names = await namesOf(session, unknown);
    for (const delivery of unknown)
      if (pauses.coversNamed(delivery, names.get(delivery.event_id))) found.add(delivery.delivery_id);
    return found;
  }

  /** Puts back a step of heads, and leaves out those that another transaction has locked: a claim must not wait. */
  async function unpark(
    session: Session,
    after: number,
    now: number,
  ): Promise<{ readonly through: number | null; readonly hasLocked: boolean }> {
    const found = await session.rows(
      sql<NumberedDelivery>`
        select id as delivery_id, handler, lane, event_id from deliveries
        where head = ${sql.lit(PARKED_HEAD)} and id > ${after} order by id limit ${UNPARK_STEP}`,
    );
    const covered = await knownPausedOf(session, found, now);
    const free = found.map(({ delivery_id: id }) => id).filter((id) => !covered.has(id));
    const through = found.length < UNPARK_STEP ? null : (found.at(-1)?.delivery_id ?? null);
    if (free.length === 0) return { through, hasLocked: false };
    // A wait decided in the future is of a clock that went back, as in clock-jumps.ts.
    const put = await session.run(sql`
      update deliveries set
        head = ${sql.lit(HEAD)},
        due_at = case when asked_at > ${now + TOLERATED_MS} then ${now} else due_at end,
        asked_at = case when asked_at > ${now + TOLERATED_MS} then ${now} else asked_at end
      where ${isLockedAs(sql`
        select id from deliveries where ${isAnyOf('id', free, 'bigint')} and head = ${sql.lit(PARKED_HEAD)}
        order by id for update skip locked`)}`);
    return { through, hasLocked: put < free.length };
  }

  return {
    changes: () => known,
    load,
    knownPausedOf,
    admitted(handlers, now) {
      pauses.dropEnded(now);
      return pauses.admitted(handlers);
    },
    async pausedOf(session, deliveries, now) {
      const current = await session.first(currentChanges);
      if (current?.changes !== known) await load(session);
      return knownPausedOf(session, deliveries, now);
    },
    async park(session, ids) {
      // The lock makes whoever changes the pauses wait, so that it is known to look for these heads afterwards.
      const current = await session.first(
        sql<{ changes: number }>`select changes from pause_changes where id = 1 for share`,
      );
      if (current?.changes !== known) return null;
      return session.run(sql`
        update deliveries set head = ${sql.lit(PARKED_HEAD)}
        where ${isLockedAs(sql`
          select id from deliveries where ${isAnyOf('id', ids, 'bigint')} and head = ${sql.lit(HEAD)}
          order by id for update skip locked`)}`);
    },
    async unparkStep(transact, now) {
      if (now >= nextRemoval) {
        await transact(({ session }) => removeEnded(session, now));
        await transact(({ session }) => load(session));
        pauses.dropEnded(now);
      }
      if (searched === null && lockedSearch !== null && clock.monotonic() >= lockedSearch.at) {
        searched = lockedSearch.after;
        lockedSearch = null;
      }
      const from = searched;
      if (from === null) return false;
      const before = known;
      const { through, hasLocked } = await transact(({ session }) => unpark(session, from, now));
      if (known === before && searched === from) {
        searched = through;
        if (hasLocked)
          lockedSearch = {
            after: Math.min(from, lockedSearch?.after ?? from),
            at: clock.monotonic() + LOCKED_SEARCH_MS,
          };
      }
      return searched !== null;
    },
    searchAgain,
  };
}

async function removeEnded(session: Session, now: number): Promise<void> {
  // First, as in `pause`, which removes ended ones, too.
  await session.run(notePauseChange);
  await session.run(sql`delete from pauses where until <= ${now}`);
}

async function namesOf(
  session: Session,
  deliveries: readonly NumberedDelivery[],
): Promise<ReadonlyMap<number, EventName>> {
  const events = [...new Set(deliveries.map(({ event_id: event }) => event))];
  const rows = await session.rows(
    sql<{ id: number; source: string; family: string; entity: string }>`
      select events.id, subjects.source, subjects.family, subjects.entity
      from events join subjects on subjects.id = events.subject_id
      where ${isAnyOf('events.id', events, 'bigint')}`,
  );
  return new Map(
    rows.map(({ id, source, family, entity }) => [id, { source, subject: { family, id: entity } }]),
  );
}
