/** Stores what became of an ambiguous event. */
import { sql } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { resolutions, type Resolution } from '../../inbox.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { first, run, type Write } from '../sql/statements.ts';
import { notSuperseded } from './event-conditions.ts';

export function createResolveAmbiguity({ dialect, ids }: SharedConnection) {
  return {
    /** Records the resolution of an ambiguous event, as in `Ambiguities`. */
    *resolveAmbiguity(eventId: string, found: Resolution, repeats: number): Write<Resolution> {
      const id = ids.eventRow(eventId) ?? 0;
      const event = yield* first(sql<{ subject_id: number }>`select subject_id from events where id = ${id}`);
      // Repeats of the event wait for the end of the transaction.
      if (event !== undefined) yield* dialect.lockSubjects([event.subject_id]);
      const row = yield* first(sql<{ verdict: string; flags: string; repeats: number }>`
        select verdict, flags, coalesce((select repeats from event_repeats where event_id = events.id), 0) as repeats
        from events where id = ${id}`);
      if (event === undefined || row?.verdict !== 'ambiguous')
        throw new PortariaError('invalid-argument', `event ${eventId} is not ambiguous`);
      const flags = JSON.parse(row.flags) as EventFlag[];
      const known = resolutions.find((resolution) => flags.includes(resolution));
      if (known !== undefined) return known;
      const resolution = found === 'superseded' && row.repeats !== repeats ? 'unconfirmed' : found;
      yield* run(sql`update events set flags = ${JSON.stringify([...flags, resolution])} where id = ${id}`);
      if (resolution === 'superseded') yield* restoreLatest(id, event.subject_id);
      return resolution;
    },
  };
}

/** Makes the event before a superseded one the latest again. */
function* restoreLatest(id: number, subjectId: number): Write<void> {
  yield* run(sql`
    update subjects set latest_event = (
      select max(events.id) from events
      where events.subject_id = ${subjectId} and events.id < ${id} and events.verdict <> 'stale' and ${notSuperseded}
    )
    where id = ${subjectId} and latest_event = ${id}`);
}
