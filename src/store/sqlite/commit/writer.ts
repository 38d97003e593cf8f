import type { WriteOperations } from './write-operations.ts';

/** The operations, each part of some transaction; the promise settles after its commit. */
export type CommittedOperations = {
  readonly [Name in keyof WriteOperations]: (
    ...parameters: Parameters<WriteOperations[Name]>
  ) => Promise<ReturnType<WriteOperations[Name]>>;
};

/** Whoever commits what is written: this thread or another. */
export interface Writer {
  readonly operations: CommittedOperations;
  /**
   * Whether the last write went well. While it is false each question makes one
   * more attempt, so that an idle store notices when there is room again.
   */
  healthy(): boolean;
  /** Commits what waits; what is asked for later is refused with `stopping`. */
  close(): Promise<void>;
}

/** Calls an operation by its name. */
export type CallOperation = <Name extends keyof WriteOperations>(
  name: Name,
  ...parameters: Parameters<WriteOperations[Name]>
) => Promise<ReturnType<WriteOperations[Name]>>;

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
    probe: (...parameters) => call('probe', ...parameters),
  };
}
