/** Stores and reads holds. */
import type { Hold, Privacy } from '../../privacy.ts';
import { holdRecord } from '../../shared/privacy/privacy-records.ts';
import type { Connection } from '../sql/connection.ts';
import { runNow } from '../sql/statement.ts';

/** Writes holds. Called inside a transaction. */
export interface HoldWrites {
  hold(subjects: readonly Hold['subject'][], hold: Pick<Hold, 'reason' | 'placedBy'>): void;
  removeHolds(subjects: readonly Hold['subject'][]): number;
}

export function createHoldWrites({ database, query, clock }: Connection): HoldWrites {
  return {
    hold(subjects, { reason, placedBy }) {
      for (const { family, id } of subjects) {
        const row = { family, entity: id, reason, placed_by: placedBy, placed_at: clock.now() };
        runNow(
          database,
          query
            .insertInto('holds')
            .values(row)
            .onConflict((conflict) => conflict.doNothing()),
        );
      }
    },
    removeHolds: (subjects) =>
      subjects.reduce(
        (removed, { family, id }) =>
          removed +
          runNow(database, query.deleteFrom('holds').where('family', '=', family).where('entity', '=', id))
            .changes,
        0,
      ),
  };
}

export function createHoldReads({ query }: Pick<Connection, 'query'>): Pick<Privacy, 'holds'> {
  return {
    async holds() {
      const rows = await query
        .selectFrom('holds')
        .selectAll()
        .orderBy('placed_at')
        .orderBy('family')
        .orderBy('entity')
        .execute();
      return rows.map(holdRecord);
    },
  };
}
