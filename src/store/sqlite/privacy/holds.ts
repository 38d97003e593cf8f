import { sql, type SqlBool } from 'kysely';
import type { Hold, Privacy } from '../../privacy.ts';
import type { Connection } from '../sql/connection.ts';
import { runNow } from '../sql/statement.ts';

/** The condition that a row of `subjects` is held: it must be neither erased nor pruned. */
export const subjectIsHeld = sql<SqlBool>`exists (
  select 1 from holds where holds.family = subjects.family and holds.entity = subjects.entity
)`;

/** The condition that an event is of a held subject. */
export const eventIsHeld = sql<SqlBool>`exists (
  select 1 from subjects where subjects.id = events.subject_id and ${subjectIsHeld}
)`;

/** The condition that a delivery is of an event of a held subject. */
export const deliveryIsHeld = sql<SqlBool>`exists (
  select 1 from events where events.id = deliveries.event_id and ${eventIsHeld}
)`;

/** The condition that a quarantine entry became an event of a held subject. Others have no known subject. */
export const entryIsHeld = sql<SqlBool>`exists (
  select 1 from events where events.id = quarantine.event_id and ${eventIsHeld}
)`;

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
      return rows.map((row) => ({
        subject: { family: row.family, id: row.entity },
        reason: row.reason,
        placedBy: row.placed_by,
        placedAt: row.placed_at,
      }));
    },
  };
}
