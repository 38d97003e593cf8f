/** Reads and writes by SQL text, where both databases take the same. */
import type { RawBuilder } from 'kysely';

/** Runs statements that read, each by itself. */
export interface SqlReads {
  rows<R>(query: RawBuilder<R>): Promise<R[]>;
  /** Returns the first row. */
  first<R>(query: RawBuilder<R>): Promise<R | undefined>;
}

/**
 * What a write waits for: the rows of a statement, how many rows it wrote, or work that PostgreSQL does in its own way
 * (see `inTransaction` there). SQLite's own code needs no step: it runs at once.
 */
export type Step =
  | { readonly is: 'rows' | 'run'; readonly query: RawBuilder<unknown> }
  | { readonly is: 'own'; readonly work: (transaction: never) => Promise<unknown> };

/**
 * A write, or a read that belongs to one, inside a transaction. It yields its steps and receives their results. Where a
 * statement fails, it is not continued, and its transaction is undone: a write catches no error.
 */
export type Write<T> = Generator<Step, T, unknown>;

/** Returns the rows of a statement. */
export function* rows<R>(query: RawBuilder<R>): Write<R[]> {
  return (yield { is: 'rows', query }) as R[];
}

/** Returns the first row of a statement. */
export function* first<R>(query: RawBuilder<R>): Write<R | undefined> {
  return (yield* rows(query))[0];
}

/** Returns how many rows a statement wrote. */
export function* run(query: RawBuilder<unknown>): Write<number> {
  return (yield { is: 'run', query }) as number;
}

/** Methods that write, each run in one go inside a transaction that its caller has begun. */
export type PerformedWrites<W> = {
  readonly [Name in keyof W]: W[Name] extends (...parameters: infer P) => Write<infer T>
    ? (...parameters: P) => T
    : never;
};

/** Methods that write, each in a transaction of its own. */
export type TransactedWrites<W> = {
  readonly [Name in keyof W]: W[Name] extends (...parameters: infer P) => Write<infer T>
    ? (...parameters: P) => Promise<T>
    : never;
};
