/** Subjects of a list, as views show them. */
import { subjectName } from '../event/subject.ts';
import type { SubjectRecord } from '../store/queries.ts';
import { instantText } from './instant-text.ts';

/** A subject in a list. */
export interface SubjectView {
  /** `family:id`. */
  readonly subject: string;
  readonly source: string;
  /** The number of its events. */
  readonly events: number;
  /** The event with the highest version, or received last if its kind has none. */
  readonly latest_event_id: string;
  readonly latest_kind: string;
  /** When that event arrived: ISO 8601. */
  readonly latest_at: string;
}

export function subjectView(record: SubjectRecord): SubjectView {
  return {
    subject: subjectName(record.subject),
    source: record.source,
    events: record.events,
    latest_event_id: record.id,
    latest_kind: record.kind,
    latest_at: instantText(record.receivedAt),
  };
}
