/** Runs writes in the thread that has the only writing connection: it takes all messages that wait, and commits once. */
import { parentPort, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { PortariaError } from '../../../../kernel/errors.ts';
import { systemClock } from '../../../../kernel/time/clock.ts';
import { createFileGuard } from '../../file/disk.ts';
import { openDatabase } from '../../file/open-database.ts';
import { createReserve } from '../../file/reserve.ts';
import { storeError } from '../../file/store-error.ts';
import { createConnection } from '../../sql/connection.ts';
import {
  createBatchCommit,
  MAX_OPERATIONS_PER_COMMIT,
  type Operation,
  type Outcome,
} from '../batch-commit.ts';
import { createWriteOperations, mayUseReserve, type WriteOperations } from '../write-operations.ts';
import {
  BatchDecoder,
  BatchEncoder,
  errorMessage,
  type Codec,
  type WriteReply,
  type WriterRequest,
  type WriterThreadData,
} from './messages.ts';
import { operationCodecs } from './operation-codecs.ts';

type Name = keyof WriteOperations;
/** Any operation, without its types: its parameters and codec belong to the same name. */
type AnyOperation = (...parameters: unknown[]) => unknown;
interface AnyCodec {
  readonly parameters: Codec<unknown[]>;
  readonly result: Codec<unknown>;
}

interface NamedOperation {
  readonly name: Name;
  readonly operation: Operation;
}

/** Runs the writing thread: commits all requests that have arrived in one transaction. */
function serve(port: MessagePort, { file, storeId, watched, maxQuarantineBytes }: WriterThreadData): void {
  const database = openDatabase(file);
  /** The time by the clock of the calling thread when it requested the running operation. */
  let now = systemClock.now();
  const connection = createConnection(database, storeId, { ...systemClock, now: () => now });
  // Only an owner has a thread.
  const reserve = createReserve(file, 'owner');
  const { operations, parts } = createWriteOperations(connection, { maxQuarantineBytes }, reserve);
  const batches = createBatchCommit(database, {
    location: file,
    check: createFileGuard(watched),
    onFatal: () => undefined,
    reserve,
    parts,
  });
  const encoder = new BatchEncoder();
  let closing = false;

  function operationsOf(request: WriterRequest): readonly NamedOperation[] {
    if (request.type === 'close') {
      closing = true;
      return [];
    }
    const decoder = new BatchDecoder(request);
    return Array.from({ length: request.operations }, () => {
      const name = decoder.read() as Name;
      const parameters = (operationCodecs[name] as AnyCodec).parameters.read(decoder);
      const run = operations[name] as AnyOperation;
      const operation = (): unknown => {
        now = request.now;
        return run(...parameters);
      };
      return { name, operation };
    });
  }

  /** Takes the requests that have arrived, as many as fit into one transaction. */
  function gather(first: WriterRequest): readonly NamedOperation[] {
    const items = [...operationsOf(first)];
    while (!closing && items.length < MAX_OPERATIONS_PER_COMMIT) {
      const next = receiveMessageOnPort(port);
      if (next === undefined) break;
      items.push(...operationsOf(next.message as WriterRequest));
    }
    return items;
  }

  function reply(items: readonly NamedOperation[], outcomes: readonly Outcome[]): void {
    for (const [index, { name }] of items.entries()) putOutcome(name, outcomes[index]);
    const { values, bytes } = encoder.finish();
    const fatal = batches.fatal();
    const message: WriteReply = {
      values,
      bytes,
      operations: items.length,
      healthy: batches.healthy(),
      fatal: fatal === undefined ? null : errorMessage(fatal),
    };
    port.postMessage(message, [bytes.buffer]);
  }

  function putOutcome(name: Name, outcome: Outcome | undefined): void {
    const succeeded = outcome !== undefined && 'value' in outcome;
    encoder.write(succeeded);
    if (succeeded) (operationCodecs[name] as AnyCodec).result.write(encoder, outcome.value);
    else encoder.write(errorMessage(asPortariaError(outcome?.error)));
  }

  function asPortariaError(error: unknown): PortariaError {
    return PortariaError.is(error) ? error : storeError(error, file);
  }

  function checkpoint(): void {
    const fatalBefore = batches.fatal();
    batches.checkpoint();
    // Reports a failure at once, instead of at the next write.
    if (batches.fatal() !== fatalBefore) reply([], []);
  }

  port.on('message', (request: WriterRequest) => {
    const items = gather(request);
    if (items.length > 0) {
      const run = items.map(({ operation }) => operation);
      const usesReserve = items.map(({ name }) => mayUseReserve.has(name));
      const accepts = items.some(({ name }) => name === 'accept');
      reply(items, batches.run(run, usesReserve, accepts));
      checkpoint();
    }
    if (!closing) return;
    database.close();
    port.close();
  });
}

/** Serves the store that the first message names. A thread of tests serves several, each by its own port. */
export function serveWriter(port: MessagePort): void {
  port.once('message', (data: WriterThreadData) => {
    serve(port, data);
  });
}

if (parentPort !== null) serveWriter(parentPort);
