/** The conditions that rows may be pruned, in SQL of both stores. */
import { sql, type SqlBool } from 'kysely';

/** Whether an event must keep its body: it is to be delivered, or a dead letter may be retried. */
export const isEventWaiting = sql<SqlBool>`exists (select 1 from deliveries
  where deliveries.event_id = events.id and (deliveries.finished_at is null or deliveries.status = 'dead'))`;

/** When the bytes of a quarantine entry came last, in milliseconds since 1970. */
export const lastCameAt = sql<number>`coalesce(quarantine.last_repeat_at, quarantine.received_at)`;

/** The reason of dead letters that retention has discarded. */
export const DISCARDED = 'discarded: a dead letter older than the retention of deliveries';

/** Whether a finished delivery has something to prune. */
export const carriesContent = sql<SqlBool>`(deliveries.status = 'dead' or deliveries.effect_change is not null
  or (deliveries.last_error is not null and deliveries.last_error <> ${sql.lit(DISCARDED)}))`;
