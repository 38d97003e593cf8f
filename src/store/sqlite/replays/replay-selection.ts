import { sql, type RawBuilder } from 'kysely';
import type { Verdict } from '../../../event/stored-event.ts';
import type { DeliveryStatus } from '../../queries.ts';
import type { ReplaySelection, ReplayTraits } from '../../replays.ts';
import { anyOf } from '../sql/any-of.ts';
import type { Connection } from '../sql/connection.ts';
import { asksForSubjects, eventConditions } from '../events/event-conditions.ts';

/** The events of a selection after one of them; undefined when there is no such event. */
export function selectedEvents(
  { query, ids }: Connection,
  { filter }: ReplaySelection,
  after: string | null,
) {
  const from = after === null ? 0 : ids.eventRow(after);
  if (from === undefined) return undefined;
  return query
    .selectFrom('events')
    .$if(asksForSubjects(filter), (events) =>
      events.innerJoin('subjects', 'subjects.id', 'events.subject_id'),
    )
    .where((eb) => eb.and(eventConditions(filter, ids)))
    .where('events.id', '>', from);
}

/** What tells events apart, beside their deliveries. */
export const traitColumns = ['events.kind', 'events.recognized', 'events.verdict'] as const;

export interface TraitsRow {
  readonly kind: string;
  readonly recognized: number;
  readonly verdict: string;
  readonly succeeded: string;
  readonly in_status: string;
}

export function traitsOf(row: TraitsRow): ReplayTraits {
  return {
    kind: row.kind,
    recognized: row.recognized === 1,
    verdict: row.verdict as Verdict,
    succeeded: namesOf(row.succeeded),
    inStatus: namesOf(row.in_status),
  };
}

/** Nobody, as a JSON list. */
export const NO_NAMES = '[]';
const NONE: readonly string[] = [];

function namesOf(json: string): readonly string[] {
  return json === NO_NAMES ? NONE : (JSON.parse(json) as string[]);
}

export function deliveredNames({ filter: { status }, succeeded, inStatus }: ReplaySelection) {
  return [
    namesWith('succeeded', succeeded).as('succeeded'),
    namesWith(status, inStatus).as('in_status'),
  ] as const;
}

/** Which of these names have a delivery of the event in a status: a JSON list, sorted, so that equal ones group. */
function namesWith(status: DeliveryStatus | undefined, names: readonly string[]): RawBuilder<string> {
  if (status === undefined || names.length === 0) return sql<string>`${sql.lit(NO_NAMES)}`;
  return sql<string>`(select json_group_array(handler) from (
    select distinct handler from deliveries
    where event_id = events.id and status = ${status} and handler in ${anyOf(names)} order by handler))`;
}
