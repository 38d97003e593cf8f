/** Searches of payloads by field, as people write them. */
import { PortariaError } from '../../kernel/errors.ts';
import type { Refusal } from '../../kernel/refusals.ts';
import { isJsonNumber } from '../../kernel/json/exact-number.ts';

export const contentOperators = ['=', '!=', '>', '>=', '<', '<=', 'contains'] as const;
export type ContentOperator = (typeof contentOperators)[number];

/** A condition on a field of the payload: some value at the path meets it. */
export interface ContentCondition {
  /** The steps below the payload; positions in lists may be left out. */
  readonly path: readonly string[];
  readonly operator: ContentOperator;
  readonly value: string;
  /** Whether the value was in quotes: it is compared with strings only. */
  readonly quoted: boolean;
}

/** What an event's payload must hold: all conditions, and every text in some value. */
export interface ContentQuery {
  readonly where: readonly ContentCondition[];
  readonly contains: readonly string[];
}

/** Characters of all conditions together, at most. */
const MAX_TEXT = 1_000;
/** Conditions and texts, at most. */
const MAX_CONDITIONS = 8;
const MAX_STEPS = 16;
const MAX_VALUE = 200;

const PATH = /\s*(data(?:\.(?:[^\s."=!<>]+|"(?:[^"\\]|\\.)*"))*)(?=[\s=!<>])\s*/uy;
const STEP = /\.(?:([^\s."=!<>]+)|("(?:[^"\\]|\\.)*"))/gu;
const OPERATOR = /(!=|>=|<=|=|>|<|contains(?=[\s"]))\s*/iuy;
const QUOTED = /("(?:[^"\\]|\\.)*")\s*(?=$|and\s)/iuy;
const BARE = /((?:(?!\s+and\s+data[\s.=!<>])[^])+)\s*/iuy;
const AND = /\s*and\s+/iuy;

/**
 * Parses conditions such as `data.status = paid and data.amount > 100.50`.
 *
 * @throws PortariaError `invalid-argument`, with an example of what was meant
 */
export function parseConditions(text: string): readonly ContentCondition[] {
  if (text.length > MAX_TEXT) throw invalid(`conditions may have ${String(MAX_TEXT)} characters at most`);
  const conditions: ContentCondition[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at = pattern.lastIndex;
    return found[1] ?? '';
  };
  do {
    const path = take(PATH);
    if (path === undefined) throw invalid({ code: 'no-field' });
    const operator = take(OPERATOR)?.toLowerCase() as ContentOperator | undefined;
    if (operator === undefined)
      throw invalid({ code: 'no-operator', operators: contentOperators.join(' '), path });
    const quoted = take(QUOTED);
    const value = quoted === undefined ? take(BARE)?.trim() : unquote(quoted);
    if (value === undefined || (quoted === undefined && value === ''))
      throw invalid({ code: 'no-value', condition: `${path} ${operator}` });
    conditions.push(condition({ path: stepsOf(path), operator, value, quoted: quoted !== undefined }));
  } while (take(AND) !== undefined);
  if (at < text.length) throw invalid({ code: 'not-joined' });
  return conditions;
}

/**
 * Combines what an operator asked for; null when nothing was.
 *
 * @param where texts of conditions, as {@link parseConditions} reads them
 * @throws PortariaError `invalid-argument`
 */
export function contentQuery(where: readonly string[], contains: readonly string[]): ContentQuery | null {
  const conditions = where.filter((text) => text.trim() !== '').flatMap(parseConditions);
  const words = contains.map((word) => word.trim()).filter((word) => word !== '');
  if (conditions.length === 0 && words.length === 0) return null;
  if (conditions.length + words.length > MAX_CONDITIONS)
    throw invalid(`${String(MAX_CONDITIONS)} conditions at most, words included`);
  if (words.some((word) => word.length > MAX_VALUE))
    throw invalid(`a word may have ${String(MAX_VALUE)} characters at most`);
  return { where: conditions, contains: words };
}

function condition(given: ContentCondition): ContentCondition {
  const { path, operator, value, quoted } = given;
  if (path.length === 0) throw invalid('name a field below data: data.company.tax_id = 12345678000190');
  if (path.length > MAX_STEPS) throw invalid(`a field may be ${String(MAX_STEPS)} levels deep at most`);
  if (value.length > MAX_VALUE) throw invalid(`a value may have ${String(MAX_VALUE)} characters at most`);
  if (value === '' && operator === 'contains') throw invalid('contains needs a text');
  const exponent = /[eE][+-]?(\d+)$/u.exec(value)?.[1] ?? '';
  if (!quoted && isJsonNumber(value) && exponent.length > 6) throw invalid(`${value} is no usual number`);
  return given;
}

function stepsOf(path: string): readonly string[] {
  return [...path.matchAll(STEP)].map(([, bare, quoted]) => bare ?? unquote(quoted ?? '""'));
}

function unquote(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw invalid(`${text} is not a quoted text: write \\" and \\\\ inside the quotes`);
  }
}

function invalid(message: string | Refusal): PortariaError {
  return new PortariaError('invalid-argument', message);
}

/** Writes conditions as {@link parseConditions} reads them. */
export function conditionText({ path, operator, value, quoted }: ContentCondition): string {
  const steps = path.map((step) => (/^[^\s."=!<>]+$/u.test(step) ? step : JSON.stringify(step)));
  return `data.${steps.join('.')} ${operator} ${quoted ? JSON.stringify(value) : value}`;
}
