/** Keeps the table of failures by handler and kind of error. */
import { sql } from 'kysely';
import {
  errorFingerprint,
  MAX_GROUPS,
  OTHER,
  REMOVED_AT_ONCE,
  type FailedDelivery,
} from '../../rows/failure-group.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/**
 * Groups failed deliveries by handler and kind of error. A delivery that succeeds costs nothing here: the row of
 * a failed attempt before stays, and readers ignore it, until a later failure removes it.
 *
 * Failures of one kind wait for each other's transactions: so they are recorded last.
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
        with happened as (
          update failure_groups set
            dead = dead + ${dead ? 1 : 0},
            first_at = case
              when not exists (select from failures where group_id = failure_groups.id) then ${now} else first_at
            end,
            last_at = greatest(last_at, ${now})
          where handler = ${handler} and fingerprint = ${fingerprint}
          returning id
        ), put as (
          insert into failures (delivery_id, group_id, dead) select ${id}, id, ${dead ? 1 : 0} from happened
          on conflict (delivery_id) do update set group_id = excluded.group_id, dead = excluded.dead
        ), found as (
          select failures.delivery_id as id, deliveries.finished_at
          from failures left join deliveries on deliveries.id = failures.delivery_id
          where failures.dead = 0 and failures.delivery_id > ${searchedTo} and failures.delivery_id <> ${id}
          order by failures.delivery_id limit ${REMOVED_AT_ONCE} for update of failures skip locked
        ), removed as (
          delete from failures using found where failures.delivery_id = found.id and found.finished_at is not null
        )
        select (select id from happened) as "group", (select count(*) from found)::integer as count,
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
  await session.run(sql`
    delete from failure_groups where id in (
      select id from failure_groups
      where handler = ${handler} and not exists (select from failures where group_id = failure_groups.id)
      order by id for update
    )`);
  return (await groups()) < MAX_GROUPS;
}

/** Removes what is recorded of deliveries that are dead no longer, or not of their error. */
export async function forgetFailures(session: Session, deliveryIds: readonly number[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  const removed = await session.rows(
    sql<{ group: number; dead: number }>`
      with removed as (
        delete from failures where ${isAnyOf('delivery_id', deliveryIds, 'bigint')} returning group_id, dead
      )
      select group_id as "group", sum(dead)::integer as dead from removed group by group_id having sum(dead) > 0
      order by group_id`,
  );
  if (removed.length === 0) return;
  const groups = removed.map(({ group }) => group);
  await session.run(
    sql`select id from failure_groups where ${isAnyOf('id', groups, 'bigint')} order by id for update`,
  );
  await session.run(sql`
    update failure_groups set dead = failure_groups.dead - removed.dead
    from ${unnestOf('removed', removed, {
      id: ['bigint', ({ group }) => group],
      dead: ['integer', ({ dead }) => dead],
    })}
    where failure_groups.id = removed.id`);
}
