/** Reads and writes pauses, and which processes have acknowledged them. */
import { sql } from 'kysely';
import type { Pause, Pauses, PauseScope } from '../../pauses.ts';
import { rowOf } from '../../shared/ids.ts';
import { MAX_SEARCHED, pauseOf, type PauseRow } from '../../shared/pause-record.ts';
import type { Connection } from '../sql/connection.ts';
import { arrayOf, isAnyOf } from '../sql/expressions.ts';
import { unfinishedOfEvent } from '../sql/dialect.ts';
import type { Session } from '../sql/session.ts';

/** Returns the pauses in force. */
export async function pausesInForce({ read, clock }: Connection): Promise<readonly Pause[]> {
  const rows = await read.rows(
    sql<PauseRow>`select * from pauses where until is null or until > ${clock.now()} order by id`,
  );
  return rows.map(pauseOf);
}

/**
 * Notes that pauses have changed, so that whoever keeps them reads them again. Changes wait for each other here, and
 * for claims that park heads.
 */
export async function notePauseChange(session: Session): Promise<void> {
  await session.run(sql`update pause_changes set changes = changes + 1 where id = 1`);
}

/**
 * Records which pauses are acknowledged: those that all living processes have acknowledged. Called after each
 * acknowledgement, and after a process has ended.
 */
export async function markAcknowledged(session: Session): Promise<void> {
  await session.run(sql`
    update pauses set acknowledged_at = (
      select max(pause_acknowledgements.acknowledged_at) from pause_acknowledgements where pause_id = pauses.id
    )
    where acknowledged_at is null
      and exists (select from pause_acknowledgements where pause_id = pauses.id)
      and not exists (
        select from leases where not exists (
          select from pause_acknowledgements
          where pause_id = pauses.id and pause_acknowledgements.holder = leases.holder
        )
      )`);
}

/** The condition that a row of `pauses` has a scope. */
function hasScope({ handler, source, subject }: PauseScope) {
  return sql`
    handler is not distinct from ${handler}::text and source is not distinct from ${source}::text
    and family is not distinct from ${subject?.family ?? null}::text
    and entity is not distinct from ${subject?.id ?? null}::text`;
}

async function pause(
  session: Session,
  scope: PauseScope,
  { reason, pausedBy, until, now }: Parameters<Pauses['pause']>[1],
): Promise<Pause> {
  // First: two processes that pause the same scope wait for each other here.
  await notePauseChange(session);
  // An end that has passed ended the pause, whether or not a claim has removed it.
  await session.run(sql`delete from pauses where ${hasScope(scope)} and until <= ${now}`);
  const { handler, source, subject } = scope;
  const known = await session.first(
    sql<PauseRow>`
      update pauses set reason = ${reason}, paused_by = ${pausedBy}, until = ${until}
      where ${hasScope(scope)} returning *`,
  );
  const stored =
    known ??
    (await session.first(
      sql<PauseRow>`
        insert into pauses (handler, source, family, entity, reason, paused_by, paused_at, until)
        values (${handler}, ${source}, ${subject?.family ?? null}, ${subject?.id ?? null}, ${reason}, ${pausedBy},
          ${now}, ${until})
        returning *`,
    ));
  if (stored === undefined) throw new Error('a pause is missing in its transaction');
  return pauseOf(stored);
}

async function resume(session: Session, ids: readonly string[]): Promise<readonly Pause[]> {
  await notePauseChange(session);
  const rows = ids.map((id) => rowOf('p', id) ?? 0);
  const removed = await session.rows(
    sql<PauseRow>`delete from pauses where ${isAnyOf('id', rows, 'bigint')} returning *`,
  );
  await session.run(sql`delete from pause_acknowledgements where ${isAnyOf('pause_id', rows, 'bigint')}`);
  return removed.toSorted((one, other) => one.id - other.id).map(pauseOf);
}

export function createPauses(connection: Connection): Pauses {
  const { transact, lease, read } = connection;
  // The new lease has acknowledged nothing: whoever keeps the pauses reads and acknowledges them again.
  lease?.listen({ afterLoss: () => transact(({ session }) => notePauseChange(session)) });
  return {
    pause: (scope, about) => transact(({ session }) => pause(session, scope, about)),
    resume: (ids) => transact(({ session }) => resume(session, ids)),
    acknowledgePauses: (ids, now) =>
      transact(async ({ session }) => {
        const rows = ids.map((id) => rowOf('p', id) ?? 0);
        // Two processes that acknowledge at once would each miss the other one.
        await session.run(
          sql`select id from pauses where ${isAnyOf('id', rows, 'bigint')} order by id for update`,
        );
        await session.run(sql`
          insert into pause_acknowledgements (pause_id, holder, acknowledged_at)
          select id, ${lease?.holder() ?? 0}, ${now} from pauses where ${isAnyOf('id', rows, 'bigint')}
          on conflict (pause_id, holder) do nothing`);
        await markAcknowledged(session);
      }),
    pauses: () => pausesInForce(connection),
    async pauseChanges() {
      const row = await read.first(sql<{ changes: number }>`select changes from pause_changes where id = 1`);
      return row?.changes ?? 0;
    },
    pausedDeliveries: (scope, most) => countPaused(connection, scope, most),
  };
}

async function countPaused(
  { read }: Connection,
  { handler, source, subject }: PauseScope,
  most: number,
): Promise<{ readonly deliveries: number; readonly more: boolean }> {
  const ofHandler =
    handler === null
      ? sql`true`
      : sql`deliveries.handler = any(${arrayOf([handler, `${handler}/effects`], 'text')})`;
  const ofSource = source === null ? sql`true` : sql`subjects.source = ${source}`;
  const ofSubject =
    subject === null
      ? sql`true`
      : sql`subjects.family = ${subject.family} and subjects.entity = ${subject.id}`;
  // Without a subject nothing narrows a source: the oldest of the backlog are searched.
  const searched =
    source === null || subject !== null
      ? sql`deliveries`
      : sql`(select * from deliveries where ${unfinishedOfEvent} order by event_id limit ${MAX_SEARCHED}) as deliveries`;
  const row = await read.first(
    sql<{ deliveries: number }>`
      select count(*) as deliveries from (
        select from ${searched}
        join events on events.id = deliveries.event_id
        join subjects on subjects.id = events.subject_id
        where deliveries.finished_at is null and deliveries.status = 'pending'
          and ${ofHandler} and ${ofSource} and ${ofSubject}
        limit ${most + 1}
      ) as pending`,
  );
  const deliveries = row?.deliveries ?? 0;
  return { deliveries: Math.min(deliveries, most), more: deliveries > most };
}
