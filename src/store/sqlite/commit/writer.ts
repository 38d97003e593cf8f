/** What commits write operations, in whichever thread. */
import type { WriteOperations } from './write-operations.ts';

/** The write operations as promises, which settle after the commit of their transaction. */
export type CommittedOperations = {
  readonly [Name in keyof WriteOperations]: (
    ...parameters: Parameters<WriteOperations[Name]>
  ) => Promise<ReturnType<WriteOperations[Name]>>;
};

/** Commits write operations, in this thread or in another. */
export interface Writer {
  readonly operations: CommittedOperations;
  /**
   * Whether the last write succeeded. While it is false, each call attempts a
   * write, so that an idle store notices when the disk has room again.
   */
  healthy(): boolean;
  /** Commits pending operations. Later calls reject with `stopping`. */
  close(): Promise<void>;
}

/** What a writer is made of. */
interface WriterParts {
  /** The names of all operations. */
  readonly names: readonly string[];
  /** Calls an operation by its name. */
  readonly call: <Name extends keyof WriteOperations>(
    name: Name,
    ...parameters: Parameters<WriteOperations[Name]>
  ) => Promise<ReturnType<WriteOperations[Name]>>;
  /** Whether the last write succeeded. */
  readonly healthy: () => boolean;
  /** The error after which nothing is written any more. */
  readonly fatal: () => unknown;
  readonly close: () => Promise<void>;
}

/** Makes a method of each operation, and a probe of each question for the health of a writer that failed. */
export function createWriter({ names, call, healthy, fatal, close }: WriterParts): Writer {
  const operations = Object.fromEntries(
    (names as readonly (keyof WriteOperations)[]).map((name) => [
      name,
      (...parameters: Parameters<WriteOperations[typeof name]>) => call(name, ...parameters),
    ]),
  ) as unknown as CommittedOperations;
  return {
    operations,
    healthy() {
      // The next call sees the result.
      if (!healthy() && fatal() === undefined) operations.probe().catch(() => undefined);
      return healthy();
    },
    close,
  };
}
