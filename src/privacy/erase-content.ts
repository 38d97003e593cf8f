/** Erases a person from rows of a store. */
import type { Contract } from '../contract/contract.ts';
import type { ContentChange, StoredContent } from '../store/privacy.ts';
import { eraseDerivedJson, eraseDerivedText } from './erase-derived.ts';
import { eraseEnvelope, eraseIdentifiers, type ErasedText, type ErasedValue } from './erase-payload.ts';
import { isWholly, type Person } from './person.ts';

/** The rows of a person: where the data is, and the change that erases it. */
export interface Finding {
  readonly content: StoredContent;
  readonly change: ContentChange;
  /** What the change takes out of a body. */
  readonly values: readonly ErasedValue[];
  /** `data.tax_id`, or the name of a column. */
  readonly paths: readonly string[];
  /** Paths of the body that stay as they are. */
  readonly kept: readonly string[];
}

/** Columns that are JSON; the others are free text. */
const JSON_COLUMNS = new Set(['headers', 'issues', 'effect_change', 'state', 'filter']);

/** A byte order mark may precede JSON. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Finds a person in a row. Returns null when the person is not in it.
 *
 * @param values what was erased from the events that the row was derived from
 */
export function eraseContent(
  content: StoredContent,
  person: Person,
  contract: Contract,
  values: readonly ErasedValue[] = [],
): Finding | null {
  const { place, row, body } = content;
  const envelope = body && eraseBody(content, body, person, contract);
  const taken = [...values, ...(envelope?.values ?? [])];
  const texts = Object.entries(content.texts).flatMap(([name, before]) => {
    const after = before === null ? null : eraseColumn(content, name, before, person, taken);
    return before === null || after === null ? [] : [[name, { before, after }] as const];
  });
  if (envelope === null && texts.length === 0) return null;
  return {
    content,
    change: {
      place,
      row,
      ...(body !== null && envelope !== null && { body: { before: body, after: bytesOf(envelope.text) } }),
      ...(texts.length > 0 && { texts: Object.fromEntries(texts) }),
    },
    values: envelope?.values ?? [],
    paths: [
      ...new Set([...(envelope?.paths.map((path) => path || 'body') ?? []), ...texts.map(([name]) => name)]),
    ],
    kept: [...new Set(envelope?.kept)],
  };
}

/** Erases a person from the bytes of a webhook; null when the person is not in them. */
function eraseBody(
  about: Pick<StoredContent, 'source' | 'kind' | 'subject'>,
  body: Uint8Array,
  person: Person,
  contract: Contract,
): ErasedText | null {
  const text = textOf(body);
  const hasMark = text.startsWith(BYTE_ORDER_MARK);
  const erased = eraseEnvelope(hasMark ? text.slice(1) : text, about, person, contract);
  return erased === null || !hasMark ? erased : { ...erased, text: BYTE_ORDER_MARK + erased.text };
}

function eraseColumn(
  { place }: StoredContent,
  name: string,
  text: string,
  person: Person,
  values: readonly ErasedValue[],
): string | null {
  // The store replaces the id of a subject by its keyed hash.
  if (place === 'subject') return isWholly(text, person) ? text : null;
  if (JSON_COLUMNS.has(name)) return eraseDerivedJson(text, person, values);
  if (name === 'kind' || name === 'message_id' || name === 'target') {
    const clean = eraseIdentifiers(text, person);
    return clean === text ? null : clean;
  }
  return eraseDerivedText(text, person, values);
}

/** Bytes that are not UTF-8 are read byte by byte: digits and addresses are found all the same. */
function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return Buffer.from(body).toString('latin1');
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
