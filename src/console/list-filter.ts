/** Reads what visitors type into filters and forms, and says what is wrong with it. */
import { z } from 'zod';
import { normalizeInstant } from '../contract/instant.ts';
import { parseDuration } from '../kernel/time/durations.ts';
import type { EventFilter } from '../store/queries.ts';
import {
  companyParameter,
  eventConditionsWith,
  eventFilterOfDelivery,
  ofDelivery,
  type instantParameter,
} from '../view/parameters/conditions.ts';
import { issueText, parameterIssues } from '../view/parameters/parameter-issues.ts';
import type { Wrong } from './components/foreign-text.tsx';
import type { Page } from './page.ts';

type Asked = Pick<Page, 'url' | 'words' | 'now'>;

/** What is wrong with the fields of a form, by their names, in the language of the visitor. */
export type FieldProblems = Readonly<Partial<Record<string, string>>>;

/** What is wrong with a filter: as the API says it, and beside the fields. */
export interface Unread {
  readonly problem: Wrong;
  readonly problems: FieldProblems;
}

/** A filter of the address, or what is wrong with it. */
export type ReadFilter<Filter> =
  | { readonly filter: Filter; readonly problem?: never; readonly problems?: never }
  | (Unread & { readonly filter?: never });

/** Reads the filter of events in an address. Unknown parameters are ignored; a wrong value is a problem. */
export function readEventFilter(page: Asked): ReadFilter<EventFilter> {
  const shape = { ...eventConditionsWith(momentParameter(page.now)), ...ofDelivery };
  const read = readConditions({ ...shape, company: companyParameter.optional() }, page);
  return read.filter === undefined ? read : { filter: eventFilterOfDelivery(read.filter) };
}

/** Reads conditions in an address. Unknown parameters are ignored; a wrong value is a problem. */
export function readConditions<Shape extends z.ZodRawShape>(
  shape: Shape,
  { url, words }: Asked,
): ReadFilter<z.output<z.ZodObject<Shape>>> {
  const given = Object.fromEntries(
    [...addressValues(url.searchParams)].map(([name, values]) => [
      name,
      values.length > 1 ? values : values[0],
    ]),
  );
  const { data, error } = z.object(shape).safeParse(given);
  if (error === undefined) return { filter: data };
  const { badTime, badSubject: subject, badCompany: company } = words.list;
  const says: Partial<Record<string, typeof badTime>> = { since: badTime, until: badTime, subject, company };
  const problems = parameterIssues(error).flatMap(({ path }) => {
    const text = says[path]?.(String(given[path]));
    return text === undefined ? [] : [[path, text] as const];
  });
  return { problem: { message: issueText(error) }, problems: Object.fromEntries(problems) };
}

/** Finds what is wrong with the form for a replay: the filter, and whether a handler was chosen. */
export function replayProblems(page: Asked): FieldProblems {
  const { searchParams } = page.url;
  return {
    ...readEventFilter(page).problems,
    // The form always sends the choice for what has succeeded: without it, nobody has sent the form.
    ...(searchParams.has('if_not_succeeded') &&
      !searchParams.has('handlers') && { handlers: page.words.compose.noHandler }),
  };
}

/** Finds what is wrong with the pace of a plan. */
export function paceProblems({ words }: Pick<Page, 'words'>, given: URLSearchParams): FieldProblems {
  const rate = numberOf(given.get('rate'));
  const percent = numberOf(given.get('stop_at'));
  return {
    ...(rate !== null && !(rate > 0 && rate <= MAX_RATE) && { rate: words.plans.badRate }),
    ...(percent !== null && !(percent >= 0 && percent <= 100) && { stop_at: words.plans.badShare }),
  };
}

/** Items in a second; more is no limit. */
const MAX_RATE = 100_000;

/** A number as it is typed, with a point or a comma. An empty field is null, and any other text NaN. */
export function numberOf(text: string | null): number | null {
  return text === null || text.trim() === '' ? null : Number(text.replace(',', '.'));
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
