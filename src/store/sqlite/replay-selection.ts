import { sql, type RawBuilder } from 'kysely';
import type { Verdict } from '../../event/stored-event.ts';
import type { DeliveryStatus } from '../queries.ts';
import type { Replays, ReplaySelection, ReplayTraits } from '../replays.ts';
import { anyOf } from './any-of.ts';
import type { Connection } from './connection.ts';
import { eventConditions } from './event-conditions.ts';

/** The events that a replay is about, as it chooses by them. */
export function createReplaySelection({
  database,
  query,
  ids,
}: Connection): Pick<Replays, 'replayEvents' | 'countReplayEvents'> {
  /** Undefined when it goes on after an event that there is not. */
  function selected({ filter, after }: ReplaySelection) {
    const from = after === null ? 0 : ids.eventRow(after);
    if (from === undefined) return undefined;
    return query
      .selectFrom('events')
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .where((eb) => eb.and(eventConditions(eb, filter, ids)))
      .where('events.id', '>', from);
  }

  return {
    async replayEvents(selection, limit) {
      const events = selected(selection);
      if (events === undefined) return [];
      const page = events
        .select('events.id')
        .select(traits)
        .select(deliveredNames(selection))
        .orderBy('events.id')
        .limit(limit)
        .compile();
      // As arrays: the binding takes longer to put rows together than SQLite to find them.
      const rows = database
        .prepare<unknown[], PageRow>(page.sql)
        .raw()
        .all(...page.parameters);
      const known = new Map<string, ReplayTraits>();
      return rows.map(([id, kind, recognized, verdict, succeeded, in_status]) => {
        const key = `${kind} ${String(recognized)} ${verdict} ${succeeded} ${in_status}`;
        const there = known.get(key);
        if (there !== undefined) return { id: ids.event(id), traits: there };
        const traits = traitsOf({ kind, recognized, verdict, succeeded, in_status });
        known.set(key, traits);
        return { id: ids.event(id), traits };
      });
    },
    async countReplayEvents(selection) {
      const events = selected(selection);
      if (events === undefined) return { groups: [], subjects: 0 };
      const groups = await events
        .select(traits)
        .select(deliveredNames(selection))
        .select(({ fn }) => fn.countAll<number>().as('events'))
        .select(effectCounts(selection.effects).as('effects'))
        .groupBy([...traits, 'succeeded', 'in_status'])
        .execute();
      const chosen = groups.reduce((sum, group) => sum + group.events, 0);
      const { stored, last } = await query
        .selectFrom('events')
        .select(({ fn }) => [fn.countAll<number>().as('stored'), fn.max('events.id').as('last')])
        .executeTakeFirstOrThrow();
      const all = query.selectFrom('events').where('events.id', '<=', last);
      // Of all events an index tells the subjects; of some, every one has to be read once more.
      const { subjects } = await (chosen === stored ? all : events)
        .select(({ fn }) => fn.count<number>('events.subject_id').distinct().as('subjects'))
        .executeTakeFirstOrThrow();
      return {
        groups: groups.map((row) => ({
          ...traitsOf(row),
          events: row.events,
          effects: inPairs(JSON.parse(row.effects) as number[]),
        })),
        subjects,
      };
    },
  };
}

const traits = ['events.kind', 'events.recognized', 'events.verdict'] as const;

/** In the order in which a page selects them. */
type PageRow = readonly [
  id: number,
  kind: string,
  recognized: number,
  verdict: string,
  succeeded: string,
  in_status: string,
];

interface TraitsRow {
  readonly kind: string;
  readonly recognized: number;
  readonly verdict: string;
  readonly succeeded: string;
  readonly in_status: string;
}

function traitsOf(row: TraitsRow): ReplayTraits {
  return {
    kind: row.kind,
    recognized: row.recognized === 1,
    verdict: row.verdict as Verdict,
    succeeded: namesOf(row.succeeded),
    inStatus: namesOf(row.in_status),
  };
}

const NONE: readonly string[] = [];

function namesOf(json: string): readonly string[] {
  return json === '[]' ? NONE : (JSON.parse(json) as string[]);
}

function deliveredNames({ filter: { status }, succeeded, inStatus }: ReplaySelection) {
  return [
    namesWith('succeeded', succeeded).as('succeeded'),
    namesWith(status, inStatus).as('in_status'),
  ] as const;
}

/** Which of these names have a delivery of the event in a status: a JSON list, sorted, so that equal ones group. */
function namesWith(status: DeliveryStatus | undefined, names: readonly string[]): RawBuilder<string> {
  if (status === undefined || names.length === 0) return sql<string>`'[]'`;
  return sql<string>`(select json_group_array(handler) from (
    select distinct handler from deliveries
    where event_id = events.id and status = ${status} and handler in ${anyOf(names)} order by handler))`;
}

/** Over all events of a group: a JSON list of two numbers for each name. */
function effectCounts(names: readonly string[]): RawBuilder<string> {
  const counts = names.flatMap((name) => {
    const distinct = sql`select count(distinct effect) from deliveries where event_id = events.id and handler = ${name}`;
    return [sql`sum((${distinct}))`, sql`sum((${distinct} and status = 'succeeded'))`];
  });
  return sql<string>`json_array(${sql.join(counts)})`;
}

function inPairs(numbers: readonly number[]) {
  return Array.from({ length: numbers.length / 2 }, (_, at) => ({
    delivered: numbers[2 * at] ?? 0,
    succeeded: numbers[2 * at + 1] ?? 0,
  }));
}
