/** The ids that others see, from row numbers and the store id. */
import { PortariaError } from '../../kernel/errors.ts';
import type { Random } from '../../kernel/random.ts';

/** Crockford's base 32 in lower case: no i, l, o or u, so that people can read ids out aloud. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Draws a store id: six characters, the first part of every event id of the store. */
export function drawStoreId(random: Random): string {
  return Array.from({ length: 6 }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length))).join('');
}

/**
 * Draws a store id that is none of those used before.
 *
 * @throws PortariaError `store-failed` when the source of randomness repeats itself
 */
export function drawUnusedStoreId(used: readonly string[], random: Random): string {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const drawn = drawStoreId(random);
    if (!used.includes(drawn)) return drawn;
  }
  throw new PortariaError('store-failed', 'no unused store id was drawn in 100 attempts: run it again');
}

/** Converts between row numbers and the event ids that people see. */
export interface Ids {
  /** Returns `<storeId>-<number>`. */
  event(row: number): string;
  /** Parses an event id, or its number alone; undefined for an id of another store. */
  eventRow(this: void, id: string): number | undefined;
}

/** A store id that a restore replaced. Events up to `lastEvent` keep it. */
export interface FormerStoreId {
  readonly storeId: string;
  readonly lastEvent: number;
}

/** @param former the store ids that restores replaced, oldest first */
export function createIds(storeId: string, former: readonly FormerStoreId[] = []): Ids {
  const idOf = (row: number): string => former.find(({ lastEvent }) => row <= lastEvent)?.storeId ?? storeId;
  const current = (row: number) => `${storeId}-${String(row)}`;
  return {
    event: former.length === 0 ? current : (row) => `${idOf(row)}-${String(row)}`,
    eventRow(id) {
      const dash = id.lastIndexOf('-');
      const row = wholeNumber(id.slice(dash + 1));
      if (dash === -1 || row === undefined) return row;
      return id.slice(0, dash) === idOf(row) ? row : undefined;
    },
  };
}

/** Returns the number in an event id that this store has given out; undefined for another text. */
export function eventRowOf(id: string): number | undefined {
  return wholeNumber(id.slice(id.lastIndexOf('-') + 1));
}

/**
 * `a` for alerts, `d` for deliveries, `j` for jobs, `p` for pauses, `q` for quarantine entries, `u` for entries of the
 * audit.
 */
export type RowPrefix = 'a' | 'd' | 'j' | 'p' | 'q' | 'r' | 'u';

/** Returns an id such as `d12`. */
export function rowId(prefix: RowPrefix, row: number): string {
  return prefix + String(row);
}

/** Parses an id such as `d12`, or its number alone; undefined for anything else. */
export function rowOf(prefix: RowPrefix, id: string): number | undefined {
  return wholeNumber(id.startsWith(prefix) ? id.slice(1) : id);
}

/** The row after which a page begins: of a text that is no cursor, no row is left. */
export function rowAfter(cursor: string | undefined): number {
  return cursor === undefined ? 0 : (wholeNumber(cursor) ?? Number.MAX_SAFE_INTEGER);
}

/** One spelling for each number: the audit names the ids that were sent. */
function wholeNumber(digits: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(digits)) return undefined;
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : undefined;
}
