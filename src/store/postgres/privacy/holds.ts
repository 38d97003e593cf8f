/** Stores and reads holds. */
import { sql } from 'kysely';
import type { Subject } from '../../../event/subject.ts';
import type { Hold, Privacy } from '../../privacy.ts';
import { holdRecord } from '../../shared/privacy/privacy-records.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { keepContents } from '../retention/content-lock.ts';
import type { Connection } from '../sql/connection.ts';
import { unnestOf } from '../sql/expressions.ts';

/** Places holds, also on subjects of which nothing is stored yet. */
async function placeHolds(
  { session }: Transaction,
  subjects: readonly Subject[],
  { reason, placedBy }: Pick<Hold, 'reason' | 'placedBy'>,
  now: number,
): Promise<void> {
  // A pruning or an erasure that has not seen the hold ends first: nothing vanishes once the hold is placed.
  await keepContents(session);
  await session.run(sql`
    insert into holds (family, entity, reason, placed_by, placed_at)
    select family, entity, ${reason}, ${placedBy}, ${now}
    from ${namesOf(subjects)} order by family, entity
    on conflict do nothing`);
}

/** Returns the number of holds that it removed. */
function removeHolds({ session }: Transaction, subjects: readonly Subject[]): Promise<number> {
  return session.run(sql`
    delete from holds where (family, entity) in (select family, entity from ${namesOf(subjects)})`);
}

function namesOf(subjects: readonly Subject[]) {
  return unnestOf('named', subjects, {
    family: ['text', ({ family }) => family],
    entity: ['text', ({ id }) => id],
  });
}

export function createHolds({
  read,
  transact,
  clock,
}: Connection): Pick<Privacy, 'hold' | 'removeHolds' | 'holds'> {
  return {
    hold: (subjects, hold) => transact((transaction) => placeHolds(transaction, subjects, hold, clock.now())),
    removeHolds: (subjects) => transact((transaction) => removeHolds(transaction, subjects)),
    ...createHoldReads({ read }),
  };
}

export function createHoldReads({ read }: Pick<Connection, 'read'>): Pick<Privacy, 'holds'> {
  return {
    async holds() {
      const rows = await read.rows(
        sql<DatabaseSchema['holds']>`select * from holds order by placed_at, family, entity`,
      );
      return rows.map(holdRecord);
    },
  };
}
