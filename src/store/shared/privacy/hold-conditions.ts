/** The conditions that rows are held, in SQL of both stores. */
import { sql, type SqlBool } from 'kysely';

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

/** The condition that a quarantine entry became an event of a held subject, or names one. */
export const entryIsHeld = sql<SqlBool>`(exists (
  select 1 from events where events.id = quarantine.event_id and ${eventIsHeld}
) or exists (
  select 1 from holds where quarantine.subject = holds.family || ':' || holds.entity
))`;
