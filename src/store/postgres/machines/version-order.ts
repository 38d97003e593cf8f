/** Reads the events of a subject in the order of their versions. */
import { sql } from 'kysely';
import { highestVersion, inVersionOrder } from '../../../event/version-order.ts';
import type { MachineStates, VersionOrder } from '../../machine-states.ts';
import { notSuperseded } from '../events/event-conditions.ts';
import { subjectRow } from '../../shared/events/subject-row.ts';
import { prunedAt } from '../retention/pruned-at.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf } from '../sql/expressions.ts';
import { decodeText } from '../sql/text-codec.ts';

interface NumberedEvent {
  readonly id: number;
  readonly version: string | null;
  readonly pruned: boolean;
}

/** A subject's row, and its history as JSON: a hundred thousand rows or an array would cost several times as much. */
interface History {
  readonly erased: number;
  readonly events: readonly number[] | null;
  readonly versions: readonly (string | null)[] | null;
  readonly prunings: readonly boolean[] | null;
}

/**
 * Reads histories in version order, as numbers alone. The numbers of a subject's events are in order of commit,
 * because whoever draws one holds the subject's lock: an event that a fold has not seen has a higher number.
 */
export function createVersionOrder({
  read,
  ids,
}: Connection): Pick<MachineStates, 'versionOrder' | 'eventBefore'> {
  return {
    async versionOrder({ source, subject, kinds, through, event }): Promise<VersionOrder> {
      const upTo = through === undefined ? null : (ids.eventRow(through) ?? 0);
      const found = await read.first(sql<History>`
        select subject.erased, logged.* from (
          select id, erased from subjects
          where family = ${subject.family} and entity = ${subject.id} and source = ${source}
        ) as subject, lateral (
          select json_agg(events.id) as events, json_agg(version) as versions,
            json_agg(${prunedAt} is not null) as prunings
          from events
          where subject_id = subject.id and ${notSuperseded}
            and ${upTo === null ? sql`true` : sql`events.id <= ${upTo}`}
            and ${kinds === undefined ? sql`true` : sql`recognized = 1 and ${isAnyOf('kind', kinds, 'text')}`}
        ) as logged`);
      const logged = (found?.events ?? []).map((id, at) => ({
        id,
        version: decodedVersion(found?.versions?.[at]),
        pruned: found?.prunings?.[at] ?? false,
      }));
      const arrived = withEvent(
        logged,
        event && { id: ids.eventRow(event.id) ?? 0, version: event.version, pruned: false },
      );
      const ordered = inVersionOrder(arrived);
      return {
        events: Float64Array.from(ordered, ({ id }) => id),
        version: highestVersion(ordered),
        erased: found?.erased ?? 0,
        prunedThrough: ordered.findLastIndex(({ pruned }) => pruned) + 1,
      };
    },
    async eventBefore(source, subject, eventId) {
      const row = await read.first(sql<{ id: number | null }>`
        select max(events.id) as id from events
        where subject_id = (${subjectRow(source, subject)}) and ${notSuperseded}
          and events.id < ${ids.eventRow(eventId) ?? 0}`);
      return row?.id == null ? null : ids.event(row.id);
    },
  };
}

/** Decodes a version that came in JSON. */
export function decodedVersion(stored: string | null | undefined): string | null {
  return stored == null ? null : decodeText(stored);
}

/** Adds an event, unless it is there, and sorts by arrival. */
function withEvent(logged: NumberedEvent[], added: NumberedEvent | undefined): readonly NumberedEvent[] {
  if (added !== undefined && !logged.some(({ id }) => id === added.id)) logged.push(added);
  return logged.sort((one, other) => one.id - other.id);
}
