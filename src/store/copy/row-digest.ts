/** Sums up the rows of a table, so that two stores can be compared. */
import { createHash } from 'node:crypto';
import type { CopiedTable, Row, Value } from './copied-tables.ts';

/** A digest of rows that is the same in any order: the stores do not order all texts alike. */
export interface RowDigest {
  add(row: Row): void;
  readonly rows: number;
  /** The bytes of the largest row. */
  readonly largest: number;
  /** The digest of what was added, as hexadecimal text. */
  text(): string;
}

const WORDS = 8;

export function createRowDigest({ columns }: CopiedTable): RowDigest {
  // The sum of the SHA-256 of all rows, by words of 32 bits.
  const sum = new Uint32Array(WORDS);
  let rows = 0;
  let largest = 0;
  return {
    add(row) {
      const hash = hashOf(columns.map(({ name }) => row[name] ?? null));
      for (let word = 0; word < WORDS; word += 1) sum[word] = (sum[word] ?? 0) + hash.readUInt32LE(4 * word);
      rows += 1;
      largest = Math.max(largest, bytesOf(row));
    },
    get rows() {
      return rows;
    },
    get largest() {
      return largest;
    },
    text() {
      const bytes = Buffer.alloc(4 * WORDS);
      for (const [word, value] of sum.entries()) bytes.writeUInt32LE(value, 4 * word);
      return bytes.toString('hex');
    },
  };
}

/** Hashes the canonical form of a row: each value with its type and, where it may have any length, its length. */
function hashOf(values: readonly Value[]): Buffer {
  const hash = createHash('sha256');
  let text = '';
  for (const value of values) {
    if (value === null) text += 'n;';
    else if (typeof value === 'string') text += `t${String(value.length)}:${value};`;
    else if (typeof value === 'object') {
      hash.update(`${text}b${String(value.length)}:`).update(value);
      text = ';';
    } else text += `i${String(value)};`;
  }
  return hash.update(text).digest();
}

/** The length of the texts and bytes of a row. */
export function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of Object.values(row))
    if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
  return bytes;
}
