/**
 * The writes of a store: each method is an operation (write-operations.ts) that a writer commits, in this thread here or
 * in another one (thread/writer-client.ts).
 */
import { type WriteOperations, createWriteOperations, type StoreLimits } from './write-operations.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Connection } from '../sql/connection.ts';
import {
  createBatchCommit,
  MAX_OPERATIONS_PER_COMMIT,
  type BatchCommit,
  type BatchCommitOptions,
} from './batch-commit.ts';
import type { AuditLog, EndedSessions } from '../../audit.ts';
import type { Ambiguities } from '../../ambiguities.ts';
import type { Inbox } from '../../inbox.ts';
import type { Jobs } from '../../jobs.ts';
import type { DeliveryKey, LaneQueue } from '../../lane-queue.ts';
import type { MachineStates } from '../../machine-states.ts';
import type { Processes } from '../../processes.ts';
import type { Privacy } from '../../privacy.ts';
import type { Monitoring } from '../../monitoring.ts';
import type { Pauses } from '../../pauses.ts';
import type { Replays } from '../../replays.ts';
import type { Retention } from '../../retention.ts';
import { replayBatches } from '../deliveries/enqueue-batch.ts';
import { inFlightDelivery, type InFlightDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import type { StartedFollowing } from '../deliveries/finish.ts';
import type { ProceedOptions } from '../deliveries/lanes.ts';
import { createReadClaimed } from '../deliveries/read-claimed.ts';
import { arrivedEvent, arrivedRejection } from '../../shared/events/arrival.ts';
import { rowOf } from '../../shared/ids.ts';

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

type OperationOf<Name extends keyof WriteOperations> = (
  ...parameters: Parameters<WriteOperations[Name]>
) => ReturnType<WriteOperations[Name]>;

/** Commits write operations in this thread, between the tasks of its event loop. */
export function createLocalWriter(
  connection: Connection,
  options: Omit<BatchCommitOptions, 'parts'> & StoreLimits,
): Writer {
  const { operations, parts } = createWriteOperations(connection, options);
  const batches = createBatchCommit(connection.database, { ...options, parts });
  const commits = createLocalCommit(batches, options);
  return createWriter({
    names: Object.keys(operations),
    call(name, ...parameters) {
      const operation = operations[name] as OperationOf<typeof name>;
      return commits.write(() => operation(...parameters));
    },
    healthy: () => batches.healthy(),
    fatal: () => batches.fatal(),
    async close() {
      commits.close();
    },
  });
}

/** Groups operations into transactions, which share the wait for the disk. */
interface LocalCommit {
  /**
   * Runs `operation` in the next transaction and settles after its commit. All
   * calls of one run of the event loop share a transaction.
   *
   * @throws PortariaError `store-full`, `store-busy`, `store-failed`, `stopping`.
   */
  write<T>(operation: () => T): Promise<T>;
  /** Commits pending operations. Later calls reject with `stopping`. */
  close(): void;
}

interface PendingWrite {
  readonly operation: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createLocalCommit(
  batches: BatchCommit,
  { location }: { readonly location: string },
): LocalCommit {
  let pending: PendingWrite[] = [];
  let scheduled = false;
  let closed = false;

  function flush(): void {
    scheduled = false;
    const batch = pending.slice(0, MAX_OPERATIONS_PER_COMMIT);
    pending = pending.slice(MAX_OPERATIONS_PER_COMMIT);
    if (pending.length > 0) schedule();
    if (batch.length === 0) return;
    const outcomes = batches.run(batch.map(({ operation }) => operation));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined && 'value' in outcome) resolve(outcome.value);
      else reject(outcome?.error);
    }
    batches.checkpoint();
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  return {
    write<T>(operation: () => T) {
      return new Promise<T>((resolve, reject) => {
        if (closed) {
          reject(new PortariaError('stopping', `${location} is closed`));
          return;
        }
        pending.push({ operation, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      });
    },
    close() {
      closed = true;
      while (pending.length > 0) flush();
    },
  };
}

/** The part of a store that writes. */
export type Writes = Inbox &
  Omit<LaneQueue, 'mayStart'> &
  Ambiguities &
  Pick<MachineStates, 'commitMachine'> &
  Pick<Replays, 'enqueueReplay'> &
  Pick<Processes, 'registerProcess' | 'unregisterProcess'> &
  Pick<
    Privacy,
    'eraseContents' | 'beginErasure' | 'beginErasureRun' | 'finishErasure' | 'hold' | 'removeHolds'
  > &
  Pick<Monitoring, 'recordMonitoring'> &
  Pick<AuditLog, 'appendAudit' | 'pruneAudit'> &
  Pick<EndedSessions, 'endSession'> &
  Pick<Pauses, 'pause' | 'resume' | 'acknowledgePauses'> &
  Pick<Jobs, 'createJob' | 'stepJob' | 'recordJobResults' | 'changeJob' | 'pruneJobs'> &
  Pick<Retention, 'pruneEvents' | 'pruneQuarantine' | 'pruneDeliveries' | 'recordPruning' | 'giveBackSpace'>;

/** Implements the writing part of a store: converts between its types and rows. */
export function createWrites(
  operations: CommittedOperations,
  connection: Connection,
  /** Receives the error when the events of claimed deliveries cannot be read. */
  onUnreadable: (error: unknown) => void,
): Writes {
  const claimed = createReadClaimed(connection, onUnreadable);

  /** The row numbers of deliveries in flight whose end could not be recorded. */
  let abandoned: number[] = [];

  /** Never rejects: a delivery that cannot be released must not keep others from being claimed. */
  async function releaseAbandoned(): Promise<void> {
    const ids = abandoned;
    // Another claim at the same time must not release what this one then starts.
    abandoned = [];
    try {
      await operations.release(JSON.stringify(ids), { dueAt: connection.clock.now() });
    } catch {
      abandoned.push(...ids);
    }
  }

  /** A single delivery takes the operation for one, which costs less. */
  async function succeedTogether(
    all: readonly InFlightDelivery[],
    options: ProceedOptions,
  ): Promise<readonly StartedFollowing[]> {
    const [first, ...others] = all;
    if (first === undefined) return [];
    if (others.length === 0) {
      const started = await operations.complete(first, { status: 'succeeded' }, options);
      return started === null ? [] : [{ at: 0, started }];
    }
    const { handler, replayId } = first;
    const ids = JSON.stringify(all.map(({ id }) => id));
    const lanes = JSON.stringify(all.map(({ lane }) => lane));
    return operations.succeed({ handler, replayId, ids, lanes, count: all.length }, options);
  }

  // Every other write takes and returns what its operation does.
  const { probe: _probe, ...alike } = operations;
  return {
    ...alike,
    accept: (event, routes, options) => operations.accept(arrivedEvent(event), routes, options),
    quarantine: (rejected) => operations.quarantine(arrivedRejection(rejected)),

    async claim(request) {
      if (abandoned.length > 0) await releaseAbandoned();
      let claim = await operations.claim(request);
      // In steps, between which others commit: the backlog of a pause may have millions of lanes.
      while (claim.more && claim.deliveries.length === 0) claim = await operations.claim(request);
      const { deliveries, nextDueAt } = claim;
      return {
        ...claimed.read(deliveries.slice(0, request.limit)),
        prefetched: claimed.prefetched(deliveries.slice(request.limit)),
        nextDueAt,
      };
    },
    complete(delivery, end, options) {
      return operations
        .complete(inFlightDelivery(delivery), end, options)
        .then((started) => (started === null ? null : (claimed.withEvents([started])[0] ?? null)));
    },
    async succeed(deliveries, options) {
      const followings = await succeedTogether(deliveries.map(inFlightDelivery), options);
      if (followings.length === 0) return [];
      const next = claimed.withEvents(followings.map(({ started }) => started));
      return followings.flatMap(({ at }, index) => {
        const delivery = next[index];
        return delivery === undefined ? [] : [{ at, delivery }];
      });
    },
    reschedule: (delivery, failure) => operations.reschedule(inFlightDelivery(delivery), failure),
    release(deliveries, options) {
      return operations.release(JSON.stringify(rowsOf(deliveries)), options);
    },
    abandon(deliveries) {
      abandoned.push(...rowsOf(deliveries));
    },

    async enqueueReplay(id, deliveries, options) {
      await operations.enqueueReplay(id, replayBatches(deliveries), options);
    },
  };
}

function rowsOf(deliveries: readonly DeliveryKey[]): readonly number[] {
  return deliveries.map(({ id }) => rowOf('d', id) ?? 0);
}
