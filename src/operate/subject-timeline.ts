import type { Subject } from '../event/subject.ts';
import { subjectName } from '../event/subject.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { MachineStates } from '../store/machine-states.ts';
import type { Queries } from '../store/queries.ts';
import { subjectTimelineView, type SubjectTimelineView } from '../view/subject-timeline-view.ts';
import type { Unmasking } from '../view/unmasking.ts';
import { allRows } from './all-rows.ts';
import { comparedWith } from './compared-with.ts';

export interface TimelineRequest extends Unmasking {
  readonly subject: Subject;
  /** Of this source alone; sources are told apart but shown together unless given. */
  readonly source?: string;
}

/**
 * All that is known of a subject: its events in arrival order, what became of
 * each, and what changed from one to the next.
 *
 * @throws PortariaError `not-found` when nothing was ever received of it.
 */
export async function subjectTimeline(
  store: Pick<Queries, 'events' | 'deliveries'> & Pick<MachineStates, 'storedEvents'>,
  { subject, source, unmask }: TimelineRequest,
): Promise<SubjectTimelineView> {
  const filter = { subject, ...(source !== undefined && { source }) };
  const records = await allRows((page) => store.events(filter, page));
  if (records.length === 0)
    throw new PortariaError('not-found', `Nothing was received of ${subjectName(subject)}`);

  const events = await store.storedEvents(records.map(({ id }) => id));
  const payloads = new Map(events.map((event) => [event.id, event]));
  const deliveries = Map.groupBy(
    await allRows((page) => store.deliveries(filter, page)),
    ({ eventId }) => eventId,
  );
  const befores = comparedWith(records);

  const entries = records.map((record) => {
    const before = payloads.get(befores.get(record.id) ?? '');
    const after = payloads.get(record.id);
    const comparison = before === undefined || after === undefined ? null : { before, after };
    return { record, deliveries: deliveries.get(record.id) ?? [], comparison };
  });
  return subjectTimelineView(subject, entries, { unmask });
}
