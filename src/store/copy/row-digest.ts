/** Sums up the rows of a table, so that two stores can be compared. */
import { createHash } from 'node:crypto';
import type { Row } from './copy-side.ts';

/** A digest of rows that is the same in any order: the stores do not order all texts alike. */
export interface RowDigest {
  add(row: Row): void;
  readonly rows: number;
  /** The digest of what was added, as hexadecimal text. */
  text(): string;
}

const WORDS = 8;

/** @param known the digest of earlier rows, and their number */
export function createRowDigest(known?: { readonly rows: number; readonly digest: string }): RowDigest {
  // The sum of the SHA-256 of all rows, by words of 32 bits.
  const sum = new Uint32Array(WORDS);
  if (known !== undefined) {
    const stored = Buffer.from(known.digest, 'hex');
    for (let word = 0; word < WORDS; word += 1) sum[word] = stored.readUInt32LE(4 * word);
  }
  let rows = known?.rows ?? 0;
  return {
    add(row) {
      const hash = hashOf(row);
      for (let word = 0; word < WORDS; word += 1) sum[word] = (sum[word] ?? 0) + hash.readUInt32LE(4 * word);
      rows += 1;
    },
    get rows() {
      return rows;
    },
    text() {
      const bytes = Buffer.alloc(4 * WORDS);
      for (const [word, value] of sum.entries()) bytes.writeUInt32LE(value, 4 * word);
      return bytes.toString('hex');
    },
  };
}

export const NO_ROWS = createRowDigest().text();

/** Hashes the canonical form of a row: each value with its type and, where it may have any length, its length. */
function hashOf(row: Row): Buffer {
  const hash = createHash('sha256');
  let text = '';
  for (const value of row) {
    if (value === null) text += 'n;';
    else if (typeof value === 'string') text += `t${String(value.length)}:${value};`;
    else if (typeof value === 'object') {
      hash.update(`${text}b${String(value.length)}:`).update(value);
      text = ';';
    } else text += `${typeof value === 'bigint' ? 'i' : 'r'}${String(value)};`;
  }
  return hash.update(text).digest();
}
