/** The filters of a live page. */
import { patternMatches } from '../../contract/event-pattern.ts';
import { parseSubjectName } from '../../event/subject.ts';
import type { TelemetryEvents } from '../../telemetry/telemetry.ts';

/** What a row of the live page shows of an event. */
export type LiveEvent = Omit<TelemetryEvents['event.stored'], 'pending'>;

/** Selects events by what telemetry says of them, so that no event needs a query. Empty texts select all. */
export interface LiveFilter {
  /** A kind or wildcard. */
  readonly kind: string;
  readonly source: string;
  readonly verdict: string;
  /** A family, or a subject as `family:id`. */
  readonly subject: string;
}

/** Reads the filter in an address. It has the parameters of the list of events; others are ignored. */
export function readLiveFilter(parameters: URLSearchParams): LiveFilter {
  const given = (name: string): string => parameters.get(name)?.trim() ?? '';
  return {
    kind: given('kind'),
    source: given('source'),
    verdict: given('verdict'),
    subject: given('subject'),
  };
}

export function liveFilterMatches(filter: LiveFilter, event: LiveEvent): boolean {
  return (
    (filter.kind === '' || patternMatches(filter.kind, event.kind)) &&
    (filter.source === '' || filter.source === event.source) &&
    (filter.verdict === '' || filter.verdict === event.verdict) &&
    (filter.subject === '' || isAbout(filter.subject, event.subject))
  );
}

/** Returns the parameters of an address that has this filter. */
export function liveParameters(filter: LiveFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
}

/** Returns the address of the list of events with this filter, as far as the list has it. */
export function listAddress(filter: LiveFilter): string {
  const subject = parseSubjectName(filter.subject) === undefined ? '' : filter.subject;
  const parameters = liveParameters({ ...filter, subject }).toString();
  return parameters === '' ? '/events' : `/events?${parameters}`;
}

function isAbout(wanted: string, { family, id }: LiveEvent['subject']): boolean {
  const subject = parseSubjectName(wanted);
  if (subject === undefined) return wanted.replace(/:$/u, '') === family;
  return subject.family === family && subject.id === id;
}
