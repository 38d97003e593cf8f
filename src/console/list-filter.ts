/** Reads the filters of a list from the address. */
import { z } from 'zod';
import { normalizeInstant } from '../contract/instant.ts';
import { parseDuration } from '../kernel/time/durations.ts';
import type { EventFilter } from '../store/queries.ts';
import { eventConditionsWith, eventFilter, type instantParameter } from '../view/parameters/conditions.ts';
import { issueText } from '../view/parameters/parameter-issues.ts';

/** A filter of the address, or what is wrong with it. */
export type ReadFilter<Filter> =
  | { readonly filter: Filter; readonly problem?: never }
  | { readonly filter?: never; readonly problem: string };

/** Reads the filter of events in an address. Unknown parameters are ignored; a wrong value is a problem. */
export function readEventFilter(parameters: URLSearchParams, now: number): ReadFilter<EventFilter> {
  const read = readConditions(eventConditionsWith(momentParameter(now)), parameters);
  return read.filter === undefined ? read : { filter: eventFilter(read.filter) };
}

/** Reads conditions in an address. Unknown parameters are ignored; a wrong value is a problem. */
export function readConditions<Shape extends z.ZodRawShape>(
  shape: Shape,
  parameters: URLSearchParams,
): ReadFilter<z.output<z.ZodObject<Shape>>> {
  const given = Object.fromEntries(
    [...addressValues(parameters)].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
  const read = z.object(shape).safeParse(given);
  return read.success ? { filter: read.data } : { problem: issueText(read.error) };
}

/** The parameters of an address, without empty ones: a form sends its empty fields, too. */
export function addressValues(parameters: URLSearchParams): ReadonlyMap<string, readonly string[]> {
  const names = [...new Set(parameters.keys())];
  const values = (name: string): readonly string[] =>
    parameters
      .getAll(name)
      .map((value) => value.trim())
      .filter((value) => value !== '');
  return new Map(names.map((name) => [name, values(name)] as const).filter(([, found]) => found.length > 0));
}

/** A time as people write it, as milliseconds since 1970. */
export function momentParameter(now: number): typeof instantParameter {
  return z.string().transform((text, context): number => {
    const instant = instantOf(text, now);
    if (instant !== undefined) return instant;
    const message = `write a time as 2026-11-22 13:00, or as 30m, 2h or 7d before now, not ${text}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** Milliseconds since 1970 of an ISO 8601 instant, of a local date and time, or of a duration before now. */
export function instantOf(text: string, now: number): number | undefined {
  const age = parseDuration(text);
  if (age !== undefined) return now - age;
  const instant = normalizeInstant(text);
  if (instant !== null) return Date.parse(`${instant.slice(0, 23)}Z`);
  const local = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/u.exec(text);
  if (local === null) return undefined;
  const ms = Date.parse(`${local[1] ?? ''}T${local[2] ?? '00:00'}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The `after` of an address names the last row of the page before; undefined without one. */
export function cursorOf(parameters: URLSearchParams): string | undefined {
  const after = parameters.get('after');
  return isCursor(after) ? after : undefined;
}

/** Whether this is the id of a row: an event, a delivery, an entry of the quarantine, a job or an entry of the audit. */
export function isCursor(after: string | null): after is string {
  return after !== null && /^(?:[0-9a-z]+-|[djqru])?\d+$/u.test(after);
}
