/** Reads the history of a subject, as PostgreSQL does it fast. */
import { sql } from 'kysely';
import type { MachineStates } from '../../machine-states.ts';
import { notSuperseded } from '../../shared/events/event-conditions.ts';
import { historyInOrder } from '../../shared/machines/version-order.ts';
import { prunedAt } from '../retention/pruned-at.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf } from '../sql/expressions.ts';
import { decodeText } from '../sql/text-codec.ts';

/** A subject's row, and its history as JSON: a hundred thousand rows or an array would cost several times as much. */
interface HistoryRow {
  readonly erased: number;
  readonly events: readonly number[] | null;
  readonly versions: readonly (string | null)[] | null;
  readonly prunings: readonly boolean[] | null;
}

/**
 * Reads histories in version order, as numbers alone. The numbers of a subject's events are in order of commit,
 * because whoever draws one holds the subject's lock: an event that a fold has not seen has a higher number.
 */
export function createVersionOrder({ read, ids }: Connection): Pick<MachineStates, 'versionOrder'> {
  return {
    async versionOrder({ source, subject, kinds, through, event }) {
      const upTo = through === undefined ? null : (ids.eventRow(through) ?? 0);
      const found = await read.first(sql<HistoryRow>`
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
      return historyInOrder({ erased: found?.erased ?? 0, events: logged }, event, ids);
    },
  };
}

/** Decodes a version that came in JSON. */
export function decodedVersion(stored: string | null | undefined): string | null {
  return stored == null ? null : decodeText(stored);
}
