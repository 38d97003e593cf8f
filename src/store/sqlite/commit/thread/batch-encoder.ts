/**
 * What travels between threads: a flat list of plain values and one block of
 * bytes, which is handed over instead of copied. Cloning one object per write
 * costs three times as much.
 */
export interface TapeContent {
  readonly values: readonly unknown[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Takes down values, to be read in the same order. */
export class TapeWriter {
  #values: unknown[] = [];
  #blocks: Uint8Array[] = [];
  #length = 0;

  /** A primitive, or an object that can be cloned. Bytes go to `putBytes`. */
  put(value: unknown): void {
    this.#values.push(value);
  }

  putBytes(bytes: Uint8Array | null): void {
    this.#values.push(bytes === null ? -1 : bytes.length);
    if (bytes === null) return;
    this.#blocks.push(bytes);
    this.#length += bytes.length;
  }

  /** What was taken down, and an empty tape again. */
  cut(): TapeContent {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const block of this.#blocks) {
      bytes.set(block, at);
      at += block.length;
    }
    const values = this.#values;
    this.#values = [];
    this.#blocks = [];
    this.#length = 0;
    return { values, bytes };
  }
}

/** Reads what a TapeWriter took down. Both sides are of one program: what comes is believed. */
export class TapeReader {
  readonly #values: readonly unknown[];
  readonly #bytes: Uint8Array;
  #next = 0;
  #at = 0;

  constructor({ values, bytes }: TapeContent) {
    this.#values = values;
    this.#bytes = bytes;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a cast by its reader, who knows what was put
  take<T>(): T {
    const value = this.#values[this.#next] as T;
    this.#next += 1;
    return value;
  }

  /** A view, not a copy. */
  takeBytes(): Uint8Array | null {
    const length = this.take<number>();
    if (length < 0) return null;
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }
}
