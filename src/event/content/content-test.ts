/** Tests stored bodies against a search, in the thread that reads them. */
import { isJsonNumber } from '../../kernel/json/exact-number.ts';
import { memberAt } from '../../kernel/json/json.ts';
import { parseJson } from '../../kernel/json/parse-json.ts';
import { withSentNumbers } from '../../kernel/json/sent-numbers.ts';
import type { ContentCondition, ContentQuery } from './content-query.ts';
import { fold, matchesContent, type ShownFields } from './match-content.ts';

/** A query with what it takes to read stored bodies, as plain data: threads exchange it. */
export interface ContentSearch {
  readonly query: ContentQuery;
  /** The fields that are searched, by source and kind; null searches personal fields, too. */
  readonly shown: ShownKinds | null;
  /** Where the payload of a custom source is; null where a function reads it. Elsewhere it is `data`. */
  readonly dataPaths: Readonly<Record<string, readonly string[] | null>>;
}

/** The fields of each kind that show while masked. */
export interface ShownKinds {
  readonly shared: Readonly<Record<string, ShownFields>>;
  /** The kinds of custom sources, which have no others. */
  readonly ofSource: Readonly<Record<string, Readonly<Record<string, ShownFields>>>>;
}

/** A stored event without its payload. */
export interface SearchedEvent {
  readonly source: string;
  readonly kind: string;
}

/** Whether a stored body may match. Only the contract can decide the rest: masking, and payloads by function. */
export type ContentTest = (event: SearchedEvent, body: string) => boolean;

const BYTE_ORDER_MARK = '\uFEFF';

/** Prepares a search. The test reads the text of a body before it parses it: most cannot match. */
export function createContentTest({ query, shown, dataPaths }: ContentSearch): ContentTest {
  const canMatch = createTextTest(query);
  // Parsing makes a text of a long number, which has an order among texts.
  const hasNumbers =
    [...query.where.map(({ value }) => value), ...query.contains].some((text) => /\d/u.test(text)) ||
    query.where.some(({ operator }) => /[<>]/u.test(operator));

  function fieldsOf({ source, kind }: SearchedEvent): ShownFields | 'all' | undefined {
    return shown === null ? 'all' : own(own(shown.ofSource, source) ?? shown.shared, kind);
  }

  return (event, body) => {
    if (!canMatch(body)) return false;
    const dataPath = Object.hasOwn(dataPaths, event.source) ? (dataPaths[event.source] ?? null) : ['data'];
    if (dataPath === null) return true;
    const text = body.startsWith(BYTE_ORDER_MARK) ? body.slice(1) : body;
    try {
      const whole = parseJson(text);
      const payload = memberAt(whole, dataPath);
      const fields = fieldsOf(event);
      if (payload === undefined || !matchesContent(payload, query, { fields, rounded: true })) return false;
      if (!hasNumbers) return true;
      return matchesContent(memberAt(withSentNumbers(whole, text), dataPath) ?? null, query, { fields });
    } catch (error) {
      // The parser stored only envelopes; one row that is no JSON must not end a search.
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  };
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Whether the text of a body holds what every match holds. An escape can spell anything, so it may match. */
function createTextTest({ where, contains }: ContentQuery): (body: string) => boolean {
  const names = where.flatMap(({ path }) => {
    const name = path.findLast((step) => !/^\d+$/u.test(step));
    return name === undefined ? [] : [JSON.stringify(name)];
  });
  const numbers = where.filter(isEqualNumber).map(valueOf);
  const strings = where.filter((each) => each.operator === '=' && !isNumeric(each)).map(valueOf);
  const words = [...contains, ...where.filter(({ operator }) => operator === 'contains').map(valueOf)];
  const folded = words.map(fold);
  // The case of digits is never in question, and most bodies are long.
  const isFoldNeeded = folded.some((word) => /[^\d.,:/-]/u.test(word));
  return (body) => {
    if (body.includes('\\')) return true;
    if (![...names, ...strings].every((text) => body.includes(text))) return false;
    if (!numbers.every((text) => body.includes(text) || EXPONENT.test(body))) return false;
    if (folded.length === 0) return true;
    const searched = isFoldNeeded ? fold(body) : body;
    return folded.every((word) => searched.includes(word));
  };
}

/** A number with an exponent: any other spelling of a whole number contains its digits. */
const EXPONENT = /[:,[]\s*-?\d[\d.]*[eE]/u;

function isNumeric({ value, quoted }: ContentCondition): boolean {
  return !quoted && isJsonNumber(value);
}

/** Whether the digits of a value stand in every body that has it as a number without an exponent, or as a text. */
function isEqualNumber(condition: ContentCondition): boolean {
  return condition.operator === '=' && isNumeric(condition) && /^-?[1-9]\d*$/u.test(condition.value);
}

function valueOf({ value }: ContentCondition): string {
  return value;
}
