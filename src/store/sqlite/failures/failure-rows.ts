/** Keeps the table of failures by handler and kind of error. */
import { sql } from 'kysely';
import {
  errorFingerprint,
  MAX_GROUPS,
  OTHER,
  REMOVED_AT_ONCE,
  type FailedDelivery,
} from '../../shared/failures/failure-group.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

/**
 * Groups failed deliveries by handler and kind of error. A delivery that succeeds costs nothing here: the row of
 * a failed attempt before stays, and readers ignore it, until a later failure removes it.
 */
export interface FailureRows {
  failed(delivery: FailedDelivery): void;
  /** The delivery is dead no longer, or not of this error. */
  forget(deliveryId: number): void;
}

export function createFailureRows({ database, query }: Connection): FailureRows {
  const findGroup = prepare(database, (p: Named<{ handler: string; fingerprint: string }>) =>
    query
      .selectFrom('failure_groups')
      .select('id')
      .where('handler', '=', p.handler)
      .where('fingerprint', '=', p.fingerprint),
  );
  const countGroups = prepare(database, (p: Named<{ handler: string }>) =>
    query
      .selectFrom('failure_groups')
      .select(({ fn }) => fn.countAll<number>().as('groups'))
      .where('handler', '=', p.handler),
  );
  const addGroup = prepare(database, (p: Named<{ handler: string; fingerprint: string; now: number }>) =>
    query
      .insertInto('failure_groups')
      .values({ handler: p.handler, fingerprint: p.fingerprint, dead: 0, first_at: p.now, last_at: p.now }),
  );
  const isEmpty = sql<number>`not exists (select 1 from failures where group_id = failure_groups.id)`;
  const removeEmpty = prepare(database, (p: Named<{ handler: string }>) =>
    query
      .deleteFrom('failure_groups')
      .where('handler', '=', p.handler)
      .where(sql<boolean>`${isEmpty}`),
  );
  const happened = prepare(database, (p: Named<{ id: number; now: number; dead: number }>) =>
    query
      .updateTable('failure_groups')
      .set((eb) => ({
        dead: eb('dead', '+', p.dead),
        first_at: sql<number>`case when ${isEmpty} then ${p.now} else first_at end`,
        last_at: sql<number>`max(last_at, ${p.now})`,
      }))
      .where('id', '=', p.id),
  );
  const put = prepare(database, (p: Named<{ delivery: number; group: number; dead: number }>) =>
    query
      .insertInto('failures')
      .values({ delivery_id: p.delivery, group_id: p.group, dead: p.dead })
      .onConflict((on) => on.column('delivery_id').doUpdateSet({ group_id: p.group, dead: p.dead })),
  );
  const take = prepare(database, (p: Named<{ delivery: number }>) =>
    query.deleteFrom('failures').where('delivery_id', '=', p.delivery).returning(['group_id', 'dead']),
  );
  const oneDeadLess = prepare(database, (p: Named<{ id: number }>) =>
    query
      .updateTable('failure_groups')
      .set((eb) => ({ dead: eb('dead', '-', 1) }))
      .where('id', '=', p.id),
  );
  const nextFailing = prepare(database, (p: Named<{ after: number }>) =>
    query
      .selectFrom('failures')
      .leftJoin('deliveries', 'deliveries.id', 'failures.delivery_id')
      .select(['failures.delivery_id as id', 'deliveries.finished_at as finishedAt'])
      .where('failures.dead', '=', sql.lit(0))
      .where('failures.delivery_id', '>', p.after)
      .orderBy('failures.delivery_id')
      .limit(sql.lit(REMOVED_AT_ONCE)),
  );
  /** Where the search for rows of ended deliveries goes on. */
  let searchedTo = 0;

  function groupOf(handler: string, fingerprint: string, now: number): number {
    const known = findGroup.get({ handler, fingerprint });
    if (known !== undefined) return known.id;
    const { groups = 0 } = countGroups.get({ handler }) ?? {};
    if (groups >= MAX_GROUPS && fingerprint !== OTHER) {
      removeEmpty.run({ handler });
      const { groups: left = 0 } = countGroups.get({ handler }) ?? {};
      if (left >= MAX_GROUPS) return groupOf(handler, OTHER, now);
    }
    return Number(addGroup.run({ handler, fingerprint, now }).lastInsertRowid);
  }

  function forget(deliveryId: number): void {
    const row = take.get({ delivery: deliveryId });
    if (row?.dead === 1) oneDeadLess.run({ id: row.group_id });
  }

  /** A failed attempt is mostly followed by one that succeeds. */
  function removeEnded(): void {
    const found = nextFailing.all({ after: searchedTo });
    for (const { id, finishedAt } of found) if (finishedAt !== null) forget(id);
    searchedTo = found.length < REMOVED_AT_ONCE ? 0 : (found.at(-1)?.id ?? 0);
  }

  return {
    forget,
    failed({ id, handler, error, dead, now }) {
      const group = groupOf(handler, errorFingerprint(error), now);
      // Before its own row is replaced: a group that has one has not begun anew.
      happened.run({ id: group, now, dead: dead ? 1 : 0 });
      forget(id);
      put.run({ delivery: id, group, dead: dead ? 1 : 0 });
      removeEnded();
    },
  };
}
