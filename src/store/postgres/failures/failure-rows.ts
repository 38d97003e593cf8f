/** Keeps the table of failures by handler and kind of error. */
import { sql } from 'kysely';
import {
  errorFingerprint,
  MAX_GROUPS,
  OTHER,
  REMOVED_AT_ONCE,
  type FailedDelivery,
} from '../../rows/failure-group.ts';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/**
 * Groups failed deliveries by handler and kind of error. A delivery that succeeds costs nothing here: the row of
 * a failed attempt before stays, and readers ignore it, until a later failure removes it.
 *
 * A failure adds a row of changes and changes no row of its group, so it waits for no other failure but for the first
 * one of its kind, which adds the group.
 */
export interface FailureRows {
  failed(session: Session, delivery: FailedDelivery): Promise<void>;
}

export function createFailureRows(): FailureRows {
  /** Where the search for rows of ended deliveries goes on: a failed attempt is mostly followed by a success. */
  let searchedTo = 0;

  /**
   * Counts a failure in its group, and removes some rows of ended deliveries.
   *
   * @returns whether the group is there
   */
  async function record(
    session: Session,
    { id, handler, dead, now }: FailedDelivery,
    fingerprint: string,
  ): Promise<boolean> {
    const [row] = await session.rows(
      sql<{ group: number | null; count: number; last: number | null }>`
        with kind as (
          -- A share lock: failures do not wait for each other, and nobody deletes the group before they commit.
          select id from failure_groups where handler = ${handler} and fingerprint = ${fingerprint} for key share
        ), changed as (
          insert into failure_changes (group_id, dead, began_at, last_at)
          select id, ${dead ? 1 : 0},
            case when not exists (select from failures where group_id = kind.id) then ${now}::bigint end, ${now}
          from kind
        ), put as (
          insert into failures (delivery_id, group_id, dead) select ${id}, id, ${dead ? 1 : 0} from kind
          on conflict (delivery_id) do update set group_id = excluded.group_id, dead = excluded.dead
        ), found as (
          select failures.delivery_id as id, deliveries.finished_at
          from failures left join deliveries on deliveries.id = failures.delivery_id
          where failures.dead = 0 and failures.delivery_id > ${searchedTo} and failures.delivery_id <> ${id}
            and exists (select from kind)
          order by failures.delivery_id limit ${REMOVED_AT_ONCE}
        ), removed as (
          -- Locks rows of ended deliveries only: the row of a failing one belongs to its own transaction.
          delete from failures where delivery_id = any(array(
            select delivery_id from failures
            where delivery_id = any(array(select id from found where finished_at is not null)) and dead = 0
            for update skip locked
          ))
        )
        select (select id from kind) as "group", (select count(*) from found)::integer as count,
          (select max(id) from found) as last`,
    );
    if (typeof row?.group !== 'number') return false;
    searchedTo = row.count < REMOVED_AT_ONCE ? 0 : (row.last ?? 0);
    return true;
  }

  return {
    async failed(session, failure) {
      const { handler, error, now } = failure;
      const fingerprint = errorFingerprint(error);
      if (await record(session, failure, fingerprint)) return;
      const group = (await hasRoom(session, handler)) ? fingerprint : OTHER;
      await session.run(sql`
        insert into failure_groups (handler, fingerprint, dead, first_at, last_at)
        values (${handler}, ${group}, 0, ${now}, ${now})
        on conflict (handler, fingerprint) do nothing`);
      await record(session, failure, group);
    },
  };
}

/** Whether a handler may have one group more. Makes room by removing empty ones. */
async function hasRoom(session: Session, handler: string): Promise<boolean> {
  const groups = async () => {
    const row = await session.first(
      sql<{
        groups: number;
      }>`select count(*)::integer as groups from failure_groups where handler = ${handler}`,
    );
    return row?.groups ?? 0;
  };
  if ((await groups()) < MAX_GROUPS) return true;
  const empty = sql`not exists (select from failures where group_id = failure_groups.id)`;
  const found = await session.rows(
    sql<{ id: number }>`
      select id from failure_groups where handler = ${handler} and ${empty} order by id for update skip locked`,
  );
  // A statement of its own sees what was committed until the rows were locked.
  await session.run(sql`
    delete from failure_groups
    where ${isAnyOf(
      'id',
      found.map(({ id }) => id),
      'bigint',
    )} and ${empty}`);
  return (await groups()) < MAX_GROUPS;
}
