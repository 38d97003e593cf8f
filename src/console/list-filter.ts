import { normalizeInstant } from '../contract/instant.ts';
import { parseSubjectName } from '../event/subject.ts';
import type { DeliveryStatus, EventFilter } from '../store/queries.ts';

const VERDICTS = ['new', 'stale', 'ambiguous'] as const;
const STATUSES: readonly DeliveryStatus[] = ['pending', 'running', 'succeeded', 'dead', 'skipped'];

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A filter of the address, or what is wrong with it. */
export type ReadFilter =
  | { readonly filter: EventFilter; readonly problem?: never }
  | { readonly filter?: never; readonly problem: string };

/** Reads the filter of events in an address. Unknown parameters are ignored; a wrong value is a problem. */
export function readEventFilter(parameters: URLSearchParams, now: number): ReadFilter {
  const given = (name: string): string | undefined => parameters.get(name)?.trim() || undefined;
  const [kind, source, flag, since] = [given('kind'), given('source'), given('flag'), given('since')];
  const until = given('until');
  const verdict = VERDICTS.find((each) => each === given('verdict'));
  const status = STATUSES.find((each) => each === given('status'));

  const subjectName = given('subject');
  const subject = subjectName === undefined ? undefined : parseSubjectName(subjectName);
  if (subjectName !== undefined && subject === undefined)
    return { problem: `write a subject as family:id, for example company:12, not ${subjectName}` };
  const sinceMs = since === undefined ? undefined : instantOf(since, now);
  const untilMs = until === undefined ? undefined : instantOf(until, now);
  const wrong = since !== undefined && sinceMs === undefined ? since : until;
  if ((since !== undefined && sinceMs === undefined) || (until !== undefined && untilMs === undefined))
    return {
      problem: `write a time as 2026-11-22 13:00, or as 30m, 2h or 7d before now, not ${wrong ?? ''}`,
    };

  return {
    filter: {
      ...(kind !== undefined && { kinds: [kind] }),
      ...(source !== undefined && { source }),
      ...(flag !== undefined && { flag }),
      ...(verdict && { verdict }),
      ...(status && { status }),
      ...(subject && { subject }),
      ...(sinceMs !== undefined && { since: sinceMs }),
      ...(untilMs !== undefined && { until: untilMs }),
    },
  };
}

/** Milliseconds since 1970 of an ISO 8601 instant, of a local date and time, or of a duration before now. */
export function instantOf(text: string, now: number): number | undefined {
  const duration = /^(\d{1,6})([mhd])$/u.exec(text);
  if (duration !== null) return now - Number(duration[1]) * UNIT_MS[duration[2] as keyof typeof UNIT_MS];
  const instant = normalizeInstant(text);
  if (instant !== null) return Date.parse(`${instant.slice(0, 23)}Z`);
  const local = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/u.exec(text);
  if (local === null) return undefined;
  const ms = Date.parse(`${local[1] ?? ''}T${local[2] ?? '00:00'}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The `after` of an address names the last row of the page before: an event, a delivery or an entry. */
export function isCursor(after: string | null): after is string {
  return after !== null && /^(?:[0-9a-z]+-|[dqru])?\d+$/u.test(after);
}
