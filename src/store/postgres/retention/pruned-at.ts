/** Tells when an event was pruned, alone or with its whole day. */
import { sql } from 'kysely';

/**
 * When an event was pruned; null while it has its body. An event of a day that was pruned at once has no time of its
 * own. Those that arrived after all such days are looked up nowhere.
 */
export const prunedAt = sql<number | null>`coalesce(events.pruned_at, case
  when events.received_at < (select (max(day) + 1) * 86400000::bigint from pruned_days) then (
    select pruned_days.pruned_at from pruned_days
    where pruned_days.day = events.received_at / 86400000 and events.id <= pruned_days.last_event and not exists (
      select from kept_events as kept where kept.day = pruned_days.day and kept.event_id = events.id
    )
  ) end)`;
