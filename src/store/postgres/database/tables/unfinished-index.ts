/** The index of unfinished deliveries by event. */

/**
 * A query has to say that it asks by event: `unfinishedOfEvent`. Otherwise the planner takes this index for questions
 * by lane, too, when nothing was unfinished at the last analyze: it believes both indexes to be empty, and then reads
 * all of this one for each lane. Earlier versions, which do not say it, find the oldest unfinished event by the index
 * of lanes.
 */
export const unfinishedIndex = `
drop index deliveries_unfinished;
create index deliveries_unfinished on deliveries (event_id) where finished_at is null and event_id > 0;
`;
