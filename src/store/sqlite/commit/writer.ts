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

/** Calls an operation by its name. */
export type CallOperation = <Name extends keyof WriteOperations>(
  name: Name,
  ...parameters: Parameters<WriteOperations[Name]>
) => Promise<ReturnType<WriteOperations[Name]>>;

/** Makes a method of each operation. */
export function committedOperations(call: CallOperation): CommittedOperations {
  return {
    accept: (...parameters) => call('accept', ...parameters),
    quarantine: (...parameters) => call('quarantine', ...parameters),
    recover: (...parameters) => call('recover', ...parameters),
    claim: (...parameters) => call('claim', ...parameters),
    complete: (...parameters) => call('complete', ...parameters),
    succeed: (...parameters) => call('succeed', ...parameters),
    reschedule: (...parameters) => call('reschedule', ...parameters),
    release: (...parameters) => call('release', ...parameters),
    resolveAmbiguity: (...parameters) => call('resolveAmbiguity', ...parameters),
    commitMachine: (...parameters) => call('commitMachine', ...parameters),
    createReplay: (...parameters) => call('createReplay', ...parameters),
    enqueueReplay: (...parameters) => call('enqueueReplay', ...parameters),
    finishReplay: (...parameters) => call('finishReplay', ...parameters),
    retryDeliveries: (...parameters) => call('retryDeliveries', ...parameters),
    pruneEvents: (...parameters) => call('pruneEvents', ...parameters),
    pruneQuarantine: (...parameters) => call('pruneQuarantine', ...parameters),
    pruneDeliveries: (...parameters) => call('pruneDeliveries', ...parameters),
    recordPruning: (...parameters) => call('recordPruning', ...parameters),
    giveBackSpace: (...parameters) => call('giveBackSpace', ...parameters),
    probe: (...parameters) => call('probe', ...parameters),
  };
}
