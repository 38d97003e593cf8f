/** The events of a subject in the order of their versions. */
import { sql } from 'kysely';
import { highestVersion, inVersionOrder } from '../../../event/version-order.ts';
import type { MachineStates, VersionOrder } from '../../machine-states.ts';
import { notSuperseded } from '../events/event-conditions.ts';
import { subjectRow } from '../events/verdict.ts';
import type { Ids } from '../ids.ts';
import type { SharedConnection } from '../sql/connection.ts';

/** An event of a history. */
export interface NumberedEvent {
  readonly id: number;
  readonly version: string | null;
  readonly pruned: boolean;
}

/** A subject's history as it was read: each database has a fast way of its own to read a hundred thousand events. */
export interface History {
  /** How often an event of the subject was erased. */
  readonly erased: number;
  readonly events: readonly NumberedEvent[];
}

/** Puts a history in order, as numbers alone, with an event that it may lack. */
export function historyInOrder(
  { erased, events }: History,
  event: Parameters<MachineStates['versionOrder']>[0]['event'],
  ids: Ids,
): VersionOrder {
  const added = event && { id: ids.eventRow(event.id) ?? 0, version: event.version, pruned: false };
  const isThere = added === undefined || events.some(({ id }) => id === added.id);
  const arrived = isThere ? events : [...events, added];
  const ordered = inVersionOrder(arrived.toSorted((one, other) => one.id - other.id));
  return {
    events: Float64Array.from(ordered, ({ id }) => id),
    version: highestVersion(ordered),
    erased,
    prunedThrough: ordered.findLastIndex(({ pruned }) => pruned) + 1,
  };
}

/** Reads the event that came before another one. */
export function createEventBefore({ read, ids }: SharedConnection): Pick<MachineStates, 'eventBefore'> {
  return {
    async eventBefore(source, subject, eventId) {
      const row = await read.first(sql<{ id: number | null }>`
        select max(events.id) as id from events
        where subject_id = (${subjectRow(source, subject)}) and ${notSuperseded}
          and events.id < ${ids.eventRow(eventId) ?? 0}`);
      return row?.id == null ? null : ids.event(row.id);
    },
  };
}
