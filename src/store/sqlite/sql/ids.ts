import type { Random } from '../../../kernel/random.ts';

/** Crockford's base 32 in lower case: no i, l, o or u, so it can be read out aloud. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A name for a new store: six characters, the first part of all its event ids. */
export function drawStoreId(random: Random): string {
  return Array.from({ length: 6 }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length))).join('');
}

/** Row numbers as people see them, and back. What is not an id of this store reads as undefined. */
export interface Ids {
  event(row: number): string;
  eventRow(id: string): number | undefined;
}

/** Event ids: `<storeId>-<number>`; read with or without the first part. */
export function createIds(storeId: string): Ids {
  return {
    event: (row) => `${storeId}-${String(row)}`,
    eventRow: (id) => wholeNumber(id.startsWith(`${storeId}-`) ? id.slice(storeId.length + 1) : id),
  };
}

/** `d` deliveries, `q` quarantine, `r` replays. */
export type RowPrefix = 'd' | 'q' | 'r';

export function rowId(prefix: RowPrefix, row: number): string {
  return prefix + String(row);
}

/** The row of an id such as `d12`; also of the bare number. */
export function rowOf(prefix: RowPrefix, id: string): number | undefined {
  return wholeNumber(id.startsWith(prefix) ? id.slice(1) : id);
}

function wholeNumber(text: string): number | undefined {
  if (!/^\d{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}
