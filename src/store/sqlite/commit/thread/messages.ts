/** The messages between the threads of a store. */
import type { ErrorCode, Problem } from '../../../../kernel/errors.ts';
import { PortariaError } from '../../../../kernel/errors.ts';
import type { WatchedFile } from '../../file/disk.ts';
import type { Reads } from '../../read/reads.ts';
import type { StoreLimits } from '../write-operations.ts';
import type { EncodedBatch } from './batch-encoder.ts';

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
