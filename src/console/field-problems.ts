/** Checks what visitors type into filters and forms. */
import { parseSubjectName } from '../event/subject.ts';
import { instantOf } from './list-filter.ts';
import type { Page } from './page.ts';

/** What is wrong with the fields of a form, by their names, in the language of the visitor. */
export type FieldProblems = Readonly<Partial<Record<string, string>>>;

/** Finds what a visitor mistyped in the filter of events that an address holds. */
export function filterProblems(
  { words, now }: Pick<Page, 'words' | 'now'>,
  given: URLSearchParams,
): FieldProblems {
  const problems: Record<string, string> = {};
  for (const name of ['since', 'until']) {
    const text = given.get(name)?.trim() ?? '';
    if (text !== '' && instantOf(text, now) === undefined) problems[name] = words.list.badTime(text);
  }
  const subject = given.get('subject')?.trim() ?? '';
  if (subject !== '' && parseSubjectName(subject) === undefined)
    problems['subject'] = words.list.badSubject(subject);
  return problems;
}

/** Finds what is wrong with the form for a replay: the filter, and whether a handler was chosen. */
export function replayProblems(page: Pick<Page, 'words' | 'now'>, given: URLSearchParams): FieldProblems {
  return {
    ...filterProblems(page, given),
    ...(given.getAll('handlers').length === 0 && { handlers: page.words.compose.noHandler }),
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
