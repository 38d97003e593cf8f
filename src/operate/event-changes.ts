import { parseSubjectName } from '../event/subject.ts';
import type { StoredDelivery } from '../event/stored-event.ts';
import { eventNumber } from '../handle/fold/event-number.ts';
import { changesBetween, type ChangeView } from '../view/change-view.ts';
import type { EventDetailView } from '../view/event-view.ts';
import { sentPayload } from '../view/sent-payload.ts';
import type { Masking } from '../view/unmasking.ts';
import type { Queries } from '../store/queries.ts';
import { subjectTimeline, type TimelineStore } from './subject-timeline.ts';

/** What changed from the event before, with numbers as they were sent. */
export interface EventChanges {
  /** The event that it is compared with. */
  readonly comparedWith: string;
  readonly changes: readonly ChangeView[];
}

/** Compares an event with the one before it of its subject; null for the first, and when a payload is pruned. */
export async function eventChanges(
  store: TimelineStore & Pick<Queries, 'event'>,
  { id, source, subject: name }: Pick<EventDetailView, 'id' | 'source' | 'subject'>,
  masking: Masking,
): Promise<EventChanges | null> {
  const comparedWith = await predecessorOf(store, { id, source, name }, masking);
  if (comparedWith === null) return null;
  const [before, after] = [await store.event(comparedWith), await store.event(id)];
  if (before === null || after === null) return null;
  const compared = (event: StoredDelivery) => ({
    whole: sentPayload(event, { ...masking, unmask: true }).shown,
    shown: sentPayload(event, masking).shown,
  });
  return { comparedWith, changes: changesBetween(compared(before), compared(after)) };
}

async function predecessorOf(
  store: TimelineStore,
  { id, source, name }: { readonly id: string; readonly source: string; readonly name: string },
  masking: Masking,
): Promise<string | null> {
  const subject = parseSubjectName(name);
  if (subject === undefined) return null;
  const after = String(eventNumber(id) - 1);
  const timeline = await subjectTimeline(store, { subject, source, ...masking, after });
  for await (const { entry } of timeline.entries()) return entry.id === id ? entry.compared_with : null;
  return null;
}
