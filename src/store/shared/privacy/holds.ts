/** Stores and reads holds. */
import { sql } from 'kysely';
import type { Subject } from '../../../event/subject.ts';
import type { Hold, Privacy } from '../../privacy.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { run, type Write } from '../sql/statements.ts';
import type { DatabaseSchema } from '../tables.ts';
import { holdRecord } from './privacy-records.ts';

export function createHoldWrites({ dialect, clock }: SharedConnection) {
  const namesOf = (subjects: readonly Subject[]) =>
    dialect.tableOf('named', subjects, {
      family: ['text', ({ family }) => family],
      entity: ['text', ({ id }) => id],
    });

  return {
    /** Places holds, also on subjects of which nothing is stored yet. */
    *hold(
      subjects: readonly Subject[],
      { reason, placedBy }: Pick<Hold, 'reason' | 'placedBy'>,
    ): Write<void> {
      // A pruning or an erasure that has not seen the hold ends first: nothing vanishes once the hold is placed.
      yield* dialect.keepContents();
      yield* run(sql`
        insert into holds (family, entity, reason, placed_by, placed_at)
        select family, entity, ${reason}, ${placedBy}, ${clock.now()}
        from ${namesOf(subjects)} where true order by family, entity
        on conflict do nothing`);
    },
    /** Returns the number of holds that it removed. */
    *removeHolds(subjects: readonly Subject[]): Write<number> {
      return yield* run(sql`
        delete from holds where (family, entity) in (select family, entity from ${namesOf(subjects)})`);
    },
  };
}

export function createHoldReads({ read }: Pick<SharedConnection, 'read'>): Pick<Privacy, 'holds'> {
  return {
    async holds() {
      const rows = await read.rows(
        sql<DatabaseSchema['holds']>`select * from holds order by placed_at, family, entity`,
      );
      return rows.map(holdRecord);
    },
  };
}
