/** The page that a search leads to. */
import { parseSubjectName } from '../event/subject.ts';
import { namesPerson } from '../privacy/identifiers-in.ts';
import type { Registry } from '../handle/load/registry.ts';
import { handlerAddress } from './components/event-cells.tsx';

/** The filters that a search may name, as `kind:charge.*`. */
const PREFIXES = 'kind|source|flag|verdict|status|since|until|subject|text';

/** A named filter; a time may be a date and a time of day. */
const NAMED = new RegExp(
  `^(${PREFIXES}):("(?:[^"\\\\]|\\\\.)*"|(?<=(?:since|until):)\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}(?::\\d{2})?|\\S+)\\s*`,
  'u',
);
/** Conditions on the payload, up to the next named filter. */
const CONDITIONS = new RegExp(`^data\\..+?(?=\\s+(?:${PREFIXES}):|$)\\s*`, 'su');
const QUOTED = /^"((?:[^"\\]|\\.)*)"\s*/u;
const WORD = /^\S+\s*/u;
/** A kind or a wildcard: words of lower case with dots between. */
const KIND = /^(?=.*[.*])[a-z0-9*][a-z0-9_*-]*(?:\.[a-z0-9_*-]+)*$/u;

/** Characters of a search that are read. */
const MAX_TEXT = 2_000;

/**
 * Returns the page that a searched text means: of what has this id or name, or the list of events with filters. A text
 * that names a person leads to the page of personal data, whose search is in no address.
 */
export function searchAddress(
  given: string,
  { contract, deliveryNames }: Pick<Registry, 'contract' | 'deliveryNames'>,
): string {
  const text = given.slice(0, MAX_TEXT).trim();
  if (/^[0-9a-z]{6}-\d+$/u.test(text)) return `/events/${text}`;
  if (/^q\d+$/u.test(text)) return `/quarantine/${text}`;
  if (/^j\d+$/u.test(text)) return `/jobs/${text}`;
  if (deliveryNames.includes(text)) return handlerAddress(text);
  if (namesPerson(text)) return '/privacy?searched=person';
  if (!NAMED.test(text) && /^\S+$/u.test(text) && parseSubjectName(text) !== undefined)
    return `/subjects/${encodeURIComponent(text)}`;
  const parameters = filtersOf(
    text,
    contract.kinds.map(({ kind }) => kind),
  );
  return parameters.size === 0 ? '/events' : `/events?${parameters.toString()}`;
}

function filtersOf(text: string, kinds: readonly string[]): URLSearchParams {
  const filters = new URLSearchParams();
  const words: string[] = [];
  for (let rest = text; rest !== '';) {
    const [whole, ...groups] = NAMED.exec(rest) ??
      CONDITIONS.exec(rest) ??
      QUOTED.exec(rest) ??
      WORD.exec(rest) ?? [rest];
    const [first, value] = groups;
    if (first !== undefined && value !== undefined) filters.append(first, bare(value));
    else if (rest.startsWith('data.')) filters.append('where', whole.trim());
    else if (first !== undefined) filters.append('text', bare(`"${first}"`));
    else if (isBegin(whole.trim(), kinds)) filters.append('kind', `${whole.trim()}.*`);
    else if (KIND.test(whole.trim())) filters.append('kind', whole.trim());
    else words.push(whole.trim());
    rest = rest.slice(whole.length);
  }
  if (words.length > 0) filters.append('text', words.join(' '));
  return filters;
}

/** Whether a word is the begin of kinds, such as `company.login`, and no kind itself. */
function isBegin(word: string, kinds: readonly string[]): boolean {
  return !kinds.includes(word) && kinds.some((kind) => kind.startsWith(`${word}.`));
}

/** A value without its quotes. */
function bare(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1);
  }
}
