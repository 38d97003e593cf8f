/** Erases a person from what handlers wrote, such as states and errors. */
import { parseJsonTree, replaceSpans, type JsonNode, type Replacement } from '../kernel/json/json-tree.ts';
import { ERASED, eraseIdentifiers, type ErasedValue } from './erase-payload.ts';
import type { Person } from './person.ts';

/** The shortest erased value that is looked for under other names and within texts: shorter ones are everywhere. */
const MIN_CHARACTERS = 4;
/** As for strings: shorter numbers are counts and ids. */
const MIN_DIGITS = 7;

/**
 * Erases a person from JSON that handlers wrote: a machine's state or the change of an effect. Its shape is
 * theirs, so values keep their types. Besides identifiers, the values that were erased from the events of the
 * same subject are replaced. Returns null when nothing is.
 *
 * @param values what was erased from the events that the JSON was derived from
 */
export function eraseDerivedJson(
  text: string,
  person: Person,
  values: readonly ErasedValue[],
): string | null {
  const erased = erasedValues(values);
  const replacements: Replacement[] = [];

  function walk(node: JsonNode, name: string): void {
    if (node.type === 'array') for (const item of node.items) walk(item, name);
    else if (node.type === 'object') {
      for (const { key, keySpan, node: member } of node.members) {
        const clean = eraseIdentifiers(key, person);
        if (clean !== key) replacements.push({ ...keySpan, json: JSON.stringify(clean) });
        walk(member, key);
      }
    } else {
      const json = cleanScalar(node.value, name);
      if (json !== null) replacements.push({ start: node.start, end: node.end, json });
    }
  }

  function cleanScalar(value: string | number | boolean | null, name: string): string | null {
    if (typeof value === 'number') return person.isNumber(value) || erased.has(value, name) ? '0' : null;
    if (typeof value !== 'string') return null;
    const clean = erased.has(value, name) ? ERASED : erased.without(eraseIdentifiers(value, person));
    return clean === value ? null : JSON.stringify(clean);
  }

  walk(parseJsonTree(text), '');
  return replacements.length === 0 ? null : replaceSpans(text, replacements);
}

/** Erases a person from free text: an error or an anomaly. Returns null when nothing is replaced. */
export function eraseDerivedText(
  text: string,
  person: Person,
  values: readonly ErasedValue[],
): string | null {
  const clean = erasedValues(values).without(eraseIdentifiers(text, person));
  return clean === text ? null : clean;
}

function erasedValues(values: readonly ErasedValue[]) {
  const long = [
    ...new Set(
      values
        .filter(
          ({ value }) => String(value).length >= (typeof value === 'string' ? MIN_CHARACTERS : MIN_DIGITS),
        )
        .map(({ value }) => String(value)),
    ),
  ].toSorted((one, other) => other.length - one.length);
  const named = new Set(values.map(({ name, value }) => JSON.stringify([plainName(name), value])));
  const anywhere: ReadonlySet<unknown> = new Set(long);
  return {
    /** Whether a value was erased: by itself, or under the same name when it is short or a number. */
    has: (value: string | number, name: string) =>
      anywhere.has(String(value)) || named.has(JSON.stringify([plainName(name), value])),
    /** The text without the longer values. */
    without: (text: string) => long.reduce((rest, value) => rest.replaceAll(value, ERASED), text),
  };
}

/** `sign_url` and `signUrl` are the same name. */
function plainName(name: string): string {
  return name.replaceAll(/\W|_/gu, '').toLowerCase();
}
