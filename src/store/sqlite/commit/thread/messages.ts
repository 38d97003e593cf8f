/** The messages between the threads of a store, and the form in which a batch of calls or results travels. */
import { compileFunction } from 'node:vm';
import { type ErrorCode, type Problem, PortariaError } from '../../../../kernel/errors.ts';
import type { WatchedFile } from '../../file/disk.ts';
import type { Reads } from '../../read/reads.ts';
import type { StoreLimits } from '../write-operations.ts';

/** The first message to the reading thread: the store to read. */
export interface ReaderThreadData extends StoreLimits {
  readonly file: string;
  readonly storeId: string;
}

/** The first message to the writing thread: the store to write. */
export interface WriterThreadData extends ReaderThreadData {
  /** The files whose place is checked before each transaction. */
  readonly watched: readonly WatchedFile[];
}

/** Asks the writing thread to commit operations: the name and parameters of each. */
export interface WriteRequest extends EncodedBatch {
  readonly type: 'write';
  readonly operations: number;
  /** Milliseconds since 1970 by the clock of the calling thread. */
  readonly now: number;
}

/** Asks the writing thread to commit earlier requests, close the file and exit. */
export interface CloseRequest {
  readonly type: 'close';
}

export type WriterRequest = WriteRequest | CloseRequest;

/** Outcomes of operations, in the order of the requests: `true` and the result, or `false` and the error. */
export interface WriteReply extends EncodedBatch {
  readonly operations: number;
  readonly healthy: boolean;
  /** The error after which the file must not be written again. */
  readonly fatal: ErrorMessage | null;
}

/** A PortariaError as a message between threads. */
export interface ErrorMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly cause: unknown;
}

export function errorMessage({ code, message, problems, cause }: PortariaError): ErrorMessage {
  // Only the string of a native error is used; the rest may not be cloneable.
  return { code, message, problems, cause: cause instanceof Error ? String(cause) : null };
}

export function portariaError({ code, message, problems, cause }: ErrorMessage): PortariaError {
  return new PortariaError(code, message, { problems, ...(cause === null ? {} : { cause }) });
}

/** Asks the reading thread for one read at a time, or to close the file and exit. */
export type ReaderRequest = ReadRequest | 'close';

export interface ReadRequest {
  readonly name: keyof Reads;
  readonly parameters: readonly unknown[];
}

/** The result of a read. */
export type ReadReply = { readonly value: unknown } | { readonly error: ErrorMessage };

/**
 * The form in which a batch of calls or results travels between threads: a flat
 * list of plain values, and one block of bytes that is transferred instead of
 * copied. Cloning one object per write costs three times as much.
 */
interface EncodedBatch {
  readonly values: readonly unknown[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Encodes values, to be decoded in the same order. */
export class BatchEncoder {
  #values: unknown[] = [];
  #blocks: Uint8Array[] = [];
  #length = 0;

  /** Adds a primitive, or an object that can be cloned. Bytes go to `writeBytes`. */
  write(value: unknown): void {
    this.#values.push(value);
  }

  writeBytes(bytes: Uint8Array | null): void {
    this.#values.push(bytes === null ? -1 : bytes.length);
    if (bytes === null) return;
    this.#blocks.push(bytes);
    this.#length += bytes.length;
  }

  /** Returns the batch, and starts an empty one. */
  finish(): EncodedBatch {
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

/** Decodes the values of a BatchEncoder. Both threads run one program, so it does not check them. */
export class BatchDecoder {
  readonly #values: readonly unknown[];
  readonly #bytes: Uint8Array;
  #next = 0;
  #at = 0;

  constructor({ values, bytes }: EncodedBatch) {
    this.#values = values;
    this.#bytes = bytes;
  }

  read(): unknown {
    const value = this.#values[this.#next];
    this.#next += 1;
    return value;
  }

  /** Returns a view, not a copy. */
  readBytes(): Uint8Array | null {
    const length = this.read() as number;
    if (length < 0) return null;
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }
}

/** Writes and reads one kind of value. Both sides use it, so their order cannot differ. */
export interface Codec<T> {
  write(encoder: BatchEncoder, value: T): void;
  read(decoder: BatchDecoder): T;
}

/** A value that is cloned as it is. */
export function plain<T>(): Codec<T> {
  return plainCodec as Codec<T>;
}

const plainCodec: Codec<unknown> = {
  write: (encoder, value) => {
    encoder.write(value);
  },
  read: (decoder) => decoder.read(),
};

export const optionalBytes: Codec<Uint8Array | null> = {
  write: (encoder, value) => {
    encoder.writeBytes(value);
  },
  read: (decoder) => decoder.readBytes(),
};

export const bytes = optionalBytes as Codec<Uint8Array>;

/** An array, often empty: an empty one is sent as null, which costs no clone. */
export function plainArray<T>(): Codec<readonly T[]> {
  return {
    write: (encoder, value) => {
      encoder.write(value.length === 0 ? null : value);
    },
    read: (decoder) => (decoder.read() as readonly T[] | null) ?? [],
  };
}

export function arrayOf<T>(element: Codec<T>): Codec<readonly T[]> {
  return {
    write(encoder, value) {
      encoder.write(value.length);
      for (const each of value) element.write(encoder, each);
    },
    read: (decoder) => Array.from({ length: decoder.read() as number }, () => element.read(decoder)),
  };
}

export function nullable<T>(codec: Codec<T>): Codec<T | null> {
  return {
    write(encoder, value) {
      encoder.write(value !== null);
      if (value !== null) codec.write(encoder, value);
    },
    read: (decoder) => (decoder.read() === true ? codec.read(decoder) : null),
  };
}

/** The codecs of an object's members, in the order in which they are sent. */
type Fields<T> = { readonly [K in keyof T]-?: Codec<T[K]> };

/** An object with these members. An optional member is sent as undefined. */
export function record<T extends object>(fields: Fields<T>): Codec<T> {
  const { write, read, names } = memberCode(fields);
  return compile(
    fields,
    write,
    `{ ${names.map((name, index) => `${name}: ${read[index] ?? ''}`).join(', ')} }`,
  );
}

/** A list of values of different types, such as the parameters of a function. */
export function tuple<T extends readonly unknown[]>(
  ...elements: {
    readonly [K in keyof T]: Codec<T[K]>;
  }
): Codec<T> {
  const { write, read } = memberCode(elements);
  return compile(elements, write, `[${read.join(', ')}]`);
}

function memberCode(codecs: object) {
  const members = Object.entries(codecs as Record<string, Codec<unknown>>);
  return {
    names: members.map(([name]) => name),
    write: members.map(([name, codec]) =>
      codec === plainCodec
        ? `encoder.write(value['${name}']);`
        : `codecs['${name}'].write(encoder, value['${name}']);`,
    ),
    read: members.map(([name, codec]) =>
      codec === plainCodec ? 'decoder.read()' : `codecs['${name}'].read(decoder)`,
    ),
  };
}

/** Compiles a codec: V8 accesses members by computed names much slower, and in no stable shape. */
function compile<T>(codecs: object, write: readonly string[], read: string): Codec<T> {
  // Of names in our own codecs.
  const make = compileFunction(
    `return {
      write(encoder, value) { ${write.join(' ')} },
      read(decoder) { return ${read}; },
    };`,
    ['codecs'],
  ) as (codecs: object) => Codec<T>;
  return make(codecs);
}

/** An object whose `status` names its type. */
export function byStatus<T extends { readonly status: string }>(variants: {
  readonly [S in T['status']]: Codec<Extract<T, { readonly status: S }>>;
}): Codec<T> {
  const codecs = variants as unknown as Readonly<Record<string, Codec<T>>>;
  return {
    write(encoder, value) {
      encoder.write(value.status);
      codecs[value.status]?.write(encoder, value);
    },
    read(decoder) {
      const codec = codecs[decoder.read() as string];
      if (codec === undefined) throw new Error('unknown status in a message between threads');
      return codec.read(decoder);
    },
  };
}
