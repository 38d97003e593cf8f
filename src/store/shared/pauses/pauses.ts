/** Stores and reads pauses. Which processes have acknowledged them is each database's own. */
import { sql, type RawBuilder } from 'kysely';
import type { Pause, Pauses, PauseScope } from '../../pauses.ts';
import { unfinishedOfEvent } from '../deliveries/delivery-conditions.ts';
import { rowOf } from '../ids.ts';
import { allOf, type Condition } from '../sql/dialect.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { first, rows, run, type Write } from '../sql/statements.ts';
import { MAX_SEARCHED, pauseOf, type PauseRow } from './pause-record.ts';

/** Selects all pauses, also those whose end has passed. */
export const allPauses: RawBuilder<PauseRow> = sql`select * from pauses order by id`;

/** Returns the pauses in force. */
export async function pausesInForce({
  read,
  clock,
}: Pick<SharedConnection, 'read' | 'clock'>): Promise<readonly Pause[]> {
  const found = await read.rows(
    sql<PauseRow>`select * from pauses where until is null or until > ${clock.now()} order by id`,
  );
  return found.map(pauseOf);
}

/**
 * Notes that pauses have changed, so that whoever keeps them reads them again. On PostgreSQL, changes wait for each other
 * here, and for claims that park heads.
 */
export const notePauseChange: RawBuilder<unknown> = sql`update pause_changes set changes = changes + 1 where id = 1`;

/**
 * Pauses the lane of a dead letter. On PostgreSQL, whoever calls it, `endHolds` or `renamePaused` takes no lock of lanes
 * or deliveries afterwards: a claim that waits for a change of the pauses has locked deliveries.
 */
export function* holdLane(delivery: number, now: number): Write<void> {
  yield* run(notePauseChange);
  // A delivery without order has no lane. Lane 0 (order `handler`) has no subject: the whole handler is paused.
  yield* run(sql`
    insert into pauses (handler, source, family, entity, reason, paused_by, paused_at, delivery_id)
    select deliveries.handler, subjects.source, subjects.family, subjects.entity,
      '', 'Portaria', ${now}, deliveries.id
    from deliveries left join subjects on subjects.id = deliveries.lane
    where deliveries.id = ${delivery} and deliveries.lane >= 0`);
}

/** Lets lanes go on that wait behind deliveries, which are dead letters no more. */
export function* endHolds(
  { isAnyOf }: Pick<SharedConnection['dialect'], 'isAnyOf'>,
  deliveries: readonly number[],
  forget: ForgetPauses,
): Write<void> {
  const isHeld = isAnyOf('delivery_id', deliveries, 'bigint');
  if ((yield* first(sql`select id from pauses where ${isHeld} limit 1`)) === undefined) return;
  yield* run(notePauseChange);
  const ended = yield* rows(sql<PauseRow>`delete from pauses where ${isHeld} returning *`);
  yield* forget(ended.map(({ id }) => id));
}

/** Keeps the pauses of subjects whose ids have changed. */
export function* renamePaused(renamed: ReadonlyMap<string, string>): Write<void> {
  if (renamed.size === 0) return;
  yield* run(notePauseChange);
  for (const [entity, to] of renamed)
    yield* run(sql`
      update pauses set entity = ${to} where entity = ${entity} and not exists (
        select 1 from subjects where subjects.family = pauses.family and subjects.entity = pauses.entity
          and (pauses.source is null or subjects.source = pauses.source))`);
}

/** Removes what is known of the acknowledgements of pauses that are no more, by their row numbers. */
type ForgetPauses = (pauses: readonly number[]) => Write<void>;

export function createPauseWrites({ dialect }: SharedConnection, forget: ForgetPauses) {
  return {
    *pause(
      scope: PauseScope,
      { reason, pausedBy, until, now }: Parameters<Pauses['pause']>[1],
    ): Write<Pause> {
      // First: two processes that pause the same scope wait for each other here.
      yield* run(notePauseChange);
      // An end that has passed ended the pause, whether or not a claim has removed it.
      yield* run(sql`delete from pauses where ${hasScope(scope)} and until <= ${now}`);
      const known = yield* first(sql<PauseRow>`
        update pauses set reason = ${reason}, paused_by = ${pausedBy}, until = ${until}
        where ${hasScope(scope)} returning *`);
      const { handler, source, subject } = scope;
      const stored =
        known ??
        (yield* first(sql<PauseRow>`
          insert into pauses (handler, source, family, entity, reason, paused_by, paused_at, until)
          values (${handler}, ${source}, ${subject?.family ?? null}, ${subject?.id ?? null}, ${reason}, ${pausedBy},
            ${now}, ${until})
          returning *`));
      if (stored === undefined) throw new Error('a pause is missing in its transaction');
      return pauseOf(stored);
    },
    *resume(ids: readonly string[]): Write<readonly Pause[]> {
      yield* run(notePauseChange);
      const wanted = ids.map((id) => rowOf('p', id) ?? 0);
      const removed = yield* rows(
        sql<PauseRow>`delete from pauses where ${dialect.isAnyOf('id', wanted, 'bigint')} returning *`,
      );
      yield* forget(wanted);
      return removed.toSorted((one, other) => one.id - other.id).map(pauseOf);
    },
  };
}

/** The condition that a row of `pauses` is an operator's with a scope. */
function hasScope({ handler, source, subject }: PauseScope): Condition {
  return sql`
    delivery_id is null and
    handler is not distinct from cast(${handler} as text) and source is not distinct from cast(${source} as text)
    and family is not distinct from cast(${subject?.family ?? null} as text)
    and entity is not distinct from cast(${subject?.id ?? null} as text)`;
}

/** Reads that dispatching waits for, so they run where it does. */
export function createPausePointReads(
  connection: Pick<SharedConnection, 'read' | 'clock'>,
): Pick<Pauses, 'pauses' | 'pauseChanges'> {
  return {
    pauses: () => pausesInForce(connection),
    async pauseChanges() {
      const row = await connection.read.first(
        sql<{ changes: number }>`select changes from pause_changes where id = 1`,
      );
      return row?.changes ?? 0;
    },
  };
}

export function createPauseReads({ read, dialect }: SharedConnection): Pick<Pauses, 'pausedDeliveries'> {
  return {
    async pausedDeliveries({ handler, source, subject }, most) {
      const conditions: Condition[] = [sql`deliveries.finished_at is null and deliveries.status = 'pending'`];
      if (handler !== null)
        conditions.push(dialect.isAnyOf('deliveries.handler', [handler, `${handler}/effects`], 'text'));
      if (source !== null) conditions.push(sql`subjects.source = ${source}`);
      if (subject !== null)
        conditions.push(sql`subjects.family = ${subject.family} and subjects.entity = ${subject.id}`);
      // Without a subject nothing narrows a source: the oldest of the backlog are searched.
      const searched =
        source === null || subject !== null
          ? sql`deliveries`
          : sql`(select * from deliveries where ${unfinishedOfEvent} order by event_id limit ${MAX_SEARCHED}) as deliveries`;
      const row = await read.first(sql<{ found: number }>`
        select count(*) as found from (
          select 1 from ${searched}
          join events on events.id = deliveries.event_id
          join subjects on subjects.id = events.subject_id
          where ${allOf(conditions)} limit ${most + 1}
        ) as pending`);
      const found = row?.found ?? 0;
      return { deliveries: Math.min(found, most), more: found > most };
    },
  };
}
