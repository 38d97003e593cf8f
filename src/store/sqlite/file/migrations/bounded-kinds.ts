import type { Migration } from './migration.ts';

/**
 * Counts unknown kinds beyond the 1,000 most frequent ones together, under ''
 * (see counted-kinds.ts): each kind that a sender made up had rows of its own,
 * which every scrape of metrics read.
 */
export const boundedKinds: Migration = {
  level: 4,
  name: 'bounded kinds',
  sql: `
create temp table kept_kinds as
  select kind from event_counts where recognized = 0
  group by kind order by sum(events) desc, kind limit 1000;

create temp table other_kinds as
  select verdict, sum(events) as events, sum(repeats) as repeats, max(last_received_at) as last_received_at
  from event_counts
  where recognized = 0 and kind not in (select kind from kept_kinds)
  group by verdict;

delete from event_counts where recognized = 0 and kind not in (select kind from kept_kinds);
insert into event_counts (kind, recognized, verdict, events, repeats, last_received_at)
  select '', 0, verdict, events, repeats, last_received_at from other_kinds;

drop table kept_kinds;
drop table other_kinds;
`,
};
