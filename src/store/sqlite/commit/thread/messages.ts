import BetterSqlite3 from 'better-sqlite3';
import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode, Problem } from '../../../../kernel/errors.ts';
import { PortariaError } from '../../../../kernel/errors.ts';
import type { Reads } from '../../read/reads.ts';
import type { StoreLimits } from '../write-operations.ts';
import type { TapeContent } from './batch-encoder.ts';

/** To the writing thread, first: the store that it is to write. */
export interface WriterThreadData extends StoreLimits {
  readonly file: string;
  readonly storeId: string;
}

/** To the writing thread: operations to commit, each its name and its parameters. */
export interface WriteRequest extends TapeContent {
  readonly type: 'write';
  readonly operations: number;
  /** Milliseconds since 1970 by the clock of whoever asks. */
  readonly now: number;
}

/** To the writing thread: commit what came before, let go of the file and end. */
export interface CloseRequest {
  readonly type: 'close';
}

export type WriterRequest = WriteRequest | CloseRequest;

/** From the writing thread: outcomes, in the order they were asked for. Each is `true` and a result, or `false` and an error. */
export interface WriteReply extends TapeContent {
  readonly operations: number;
  readonly healthy: boolean;
  /** Set from when on the file must not be written again. */
  readonly fatal: ErrorMessage | null;
}

/** An error, as it travels. */
export interface ErrorMessage {
  readonly code: ErrorCode;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly cause: unknown;
}

export function errorMessage({ code, message, problems, cause }: PortariaError): ErrorMessage {
  // Of a native error its text and code are what is read; the rest may not be cloneable.
  return { code, message, problems, cause: cause instanceof Error ? String(cause) : null };
}

export function portariaError({ code, message, problems, cause }: ErrorMessage): PortariaError {
  return new PortariaError(code, message, { problems, ...(cause === null ? {} : { cause }) });
}

/** To the reading thread, first: the store that it is to read. */
export type ReaderThreadData = WriterThreadData;

/** To the reading thread: a read by its name, of which it has one at a time; let go of the file and end. */
export type ReaderRequest = ReadRequest | 'close';

export interface ReadRequest {
  readonly name: keyof Reads;
  readonly parameters: readonly unknown[];
}

/** From the reading thread: what became of the read. */
export type ReadReply = { readonly value: unknown } | { readonly error: ErrorMessage };

/** What the thread of checkpoints is started with. */
export interface CheckpointThreadData {
  readonly file: string;
  /** One number, a `Turn`, that both threads see and set. */
  readonly turn: Int32Array<SharedArrayBuffer>;
  /** Takes its requests and gives its replies. */
  readonly port: MessagePort;
}

/** Whose turn it is to move the log: the other thread's from the request until its reply is on its way. */
export const Turn = { nothing: 0, asked: 1, working: 2 } as const;

/** To the thread of checkpoints: move the log into the file, unless that was taken back; end. */
export type CheckpointRequest = 'move' | 'close';

/** From the thread of checkpoints: that it has started, and what became of each request to move the log. */
export interface CheckpointReply {
  readonly failure: SqliteFailure | null;
}

/** An error of SQLite, as it travels. */
export interface SqliteFailure {
  readonly code: string;
  readonly message: string;
}

export function sqliteFailure(error: unknown): SqliteFailure {
  if (error instanceof BetterSqlite3.SqliteError) return { code: error.code, message: error.message };
  return { code: 'SQLITE_ERROR', message: String(error) };
}

export function sqliteError({ code, message }: SqliteFailure): Error {
  return new BetterSqlite3.SqliteError(message, code);
}
