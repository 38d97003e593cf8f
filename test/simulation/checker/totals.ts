/** What the store counts while it writes equals its rows: numbers on pages come from there. */
import type { World } from '../world/world.ts';
import { violated } from './violation.ts';

/** What is counted, and from which rows; each selects a name and a number. */
const counted: readonly (readonly [string, string, string])[] = [
  [
    'deliveries',
    `select handler || ' ' || status as name, deliveries as number from delivery_counts`,
    `select handler || ' ' || status as name, count(*) as number from deliveries group by 1`,
  ],
  [
    'deliveries of replays',
    // A replay to a URL counts what was sent.
    `select replay_id || ' ' || status as name, deliveries as number from replay_counts
      where replay_id in (select replay_id from deliveries)
      or replay_id in (select id from jobs where selection not like '%//target.example/%')`,
    `select replay_id || ' ' || status as name, count(*) as number from deliveries where replay_id > 0 group by 1`,
  ],
  [
    'events',
    `select kind || ' ' || recognized || ' ' || verdict as name, events as number from event_counts`,
    `select kind || ' ' || recognized || ' ' || verdict as name, count(*) as number from events group by 1`,
  ],
  [
    'repeats',
    `select kind || ' ' || verdict as name, sum(repeats) as number from event_counts group by 1`,
    `select kind || ' ' || verdict as name, sum(repeats) as number from events
      join event_repeats on event_id = events.id group by 1`,
  ],
  [
    'held entries',
    `select verified || ' ' || reason as name, held as number from quarantine_counts`,
    `select verified || ' ' || reason as name, count(*) as number from quarantine where status = 'held' group by 1`,
  ],
  [
    'bytes of held entries',
    `select verified || ' ' || reason as name, bytes as number from quarantine_counts`,
    `select verified || ' ' || reason as name, sum(bytes) as number from quarantine where status = 'held' group by 1`,
  ],
  [
    'anomalies',
    `select name, "rows" as number from row_counts where name = 'anomalies'`,
    `select 'anomalies' as name, count(*) as number from anomalies`,
  ],
  [
    'dead letters by kind of error',
    `select cast(id as text) as name, dead as number from failure_groups`,
    `select cast(group_id as text) as name, count(*) as number from failures where dead = 1 group by 1`,
  ],
  [
    'dead letters with a kind of error',
    `select deliveries.handler as name, count(*) as number from failures
      join failure_groups on failure_groups.id = group_id
      join deliveries on deliveries.id = delivery_id and deliveries.handler = failure_groups.handler
      where failures.dead = 1 and status = 'dead' group by 1`,
    `select handler as name, count(*) as number from deliveries where status = 'dead' group by 1`,
  ],
  [
    'pruned events',
    `select 'all' as name, pruned_events as number from retention`,
    `select 'all' as name, count(*) as number from events where pruned_at is not null`,
  ],
  [
    'discarded dead letters',
    `select 'all' as name, discarded_deliveries as number from retention`,
    `select 'all' as name, count(*) as number from deliveries
      where status = 'skipped' and last_error like 'discarded: a dead letter older%'`,
  ],
  [
    'items of jobs',
    `select cast(id as text) as name, acted as number from jobs where action <> 'replay'`,
    `select cast(job_id as text) as name, count(*) as number from job_items join jobs on jobs.id = job_id
      where action <> 'replay' group by 1`,
  ],
];

export function lookAtTotals({ rows }: Pick<World, 'rows'>): void {
  const { select } = rows;
  if (select === undefined) return;
  const read = (text: string): ReadonlyMap<string, number> =>
    new Map(
      select<{ name: string; number: number }>(text)
        .filter(({ number }) => number !== 0)
        .map(({ name, number }) => [name, number]),
    );
  for (const [what, kept, from] of counted) {
    const [said, is] = [read(kept), read(from)];
    for (const name of new Set([...said.keys(), ...is.keys()]))
      if (said.get(name) !== is.get(name))
        throw violated(
          'counts',
          `${said.get(name) ?? 0} ${what} are counted of ${name}, ${is.get(name) ?? 0} are there`,
        );
  }
}
