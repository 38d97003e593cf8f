/** Adds the changes of failure groups up, merges them, and takes failures out of their groups. */
import { sql } from 'kysely';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** The groups as they are: each row with all its changes. In place of the table, under its name. */
export const FAILURE_GROUPS = `(
  select groups.id, groups.handler, groups.fingerprint,
    groups.dead + coalesce(changes.dead, 0) as dead,
    greatest(groups.first_at, changes.began_at) as first_at,
    greatest(groups.last_at, changes.last_at) as last_at
  from failure_groups as groups
  left join (
    select group_id, sum(dead)::bigint as dead, max(began_at) as began_at, max(last_at) as last_at
    from failure_changes group by group_id
  ) as changes on changes.group_id = groups.id
) as failure_groups`;

/**
 * Adds changes to the rows of their groups. Those of a group that was removed are removed, too.
 *
 * @param maxRows the maximum number of changes
 */
export async function mergeFailureChanges(session: Session, maxRows: number): Promise<void> {
  const groups = await session.rows(sql<{ id: number }>`
    select id from failure_groups where id in (select group_id from failure_changes)
    order by id for no key update`);
  await session.run(sql`
    delete from failure_changes where not exists (select from failure_groups where id = group_id)`);
  await session.run(sql`
    with gone as (
      delete from failure_changes where ctid = any(array(
        select ctid from failure_changes
        where ${isAnyOf(
          'group_id',
          groups.map(({ id }) => id),
          'bigint',
        )} limit ${maxRows}
      ))
      returning *
    ), changes as (
      select group_id, sum(dead)::bigint as dead, max(began_at) as began_at, max(last_at) as last_at
      from gone group by group_id
    )
    update failure_groups set
      dead = failure_groups.dead + changes.dead,
      first_at = greatest(first_at, changes.began_at),
      last_at = greatest(failure_groups.last_at, changes.last_at)
    from changes where failure_groups.id = changes.group_id`);
}

/** Removes what is recorded of deliveries that are dead no longer, or not of their error. */
export async function forgetFailures(session: Session, deliveryIds: readonly number[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await session.run(sql`
    with removed as (
      delete from failures where ${isAnyOf('delivery_id', deliveryIds, 'bigint')} returning group_id, dead
    )
    insert into failure_changes (group_id, dead)
    select group_id, -sum(dead) from removed group by group_id having sum(dead) > 0`);
}
