import { parentPort, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { Kysely, SqliteDialect } from 'kysely';
import { PortariaError } from '../../../../kernel/errors.ts';
import { systemClock } from '../../../../kernel/time/clock.ts';
import { createBatchCommit, type Outcome, type Work } from '../batch-commit.ts';
import type { DatabaseSchema } from '../../file/database-schema.ts';
import { createFileGuard } from '../../file/file-guard.ts';
import { MAX_IN_A_COMMIT } from '../group-commit.ts';
import { createIds } from '../../sql/ids.ts';
import { openDatabase } from '../../file/open-database.ts';
import { storeError } from '../../file/store-error.ts';
import { createWriteOperations, type WriteOperations } from '../write-operations.ts';
import type { Codec } from './codec.ts';
import { codecs } from './codecs.ts';
import { errorMessage, type WriteReply, type WriterRequest, type WriterThreadData } from './messages.ts';
import { TapeReader, TapeWriter } from './batch-encoder.ts';
import { createThreadCheckpoint } from './thread-checkpoint.ts';

type Name = keyof WriteOperations;
/** Any operation, as one that takes and gives anything: parameters and codec come from the same name. */
type AnyOperation = (...parameters: unknown[]) => unknown;
type AnyCodec = Codec<Name> & {
  takeParameters(tape: TapeReader): unknown[];
  putResult(tape: TapeWriter, result: unknown): void;
};

interface Item {
  readonly name: Name;
  readonly work: Work;
}

/** The writing thread: commits what it is asked for, as much at a time as has come. */
function serve(port: MessagePort, { file, storeId, maxQuarantineBytes }: WriterThreadData): void {
  const database = openDatabase(file);
  /** What the clock of whoever asked read when the operation at hand was asked for. */
  let now = systemClock.now();
  const connection = {
    database,
    query: new Kysely<DatabaseSchema>({ dialect: new SqliteDialect({ database }) }),
    clock: { ...systemClock, now: () => now },
    ids: createIds(storeId),
  };
  const { operations, parts } = createWriteOperations(connection, { maxQuarantineBytes });
  const log = createThreadCheckpoint(database, { onAnswer: checkpoint });
  const batches = createBatchCommit(database, {
    location: file,
    checkpoint: log,
    check: createFileGuard(file),
    onFatal: () => undefined,
    parts,
  });
  const tape = new TapeWriter();
  let closing = false;

  function itemsOf(request: WriterRequest): readonly Item[] {
    if (request.type === 'close') {
      closing = true;
      return [];
    }
    const reader = new TapeReader(request);
    return Array.from({ length: request.operations }, () => {
      const name = reader.take<Name>();
      const parameters = (codecs[name] as AnyCodec).takeParameters(reader);
      const operation = operations[name] as AnyOperation;
      const work = (): unknown => {
        now = request.now;
        return operation(...parameters);
      };
      return { name, work };
    });
  }

  /** What has come by now, as long as it fits into one transaction. */
  function gather(first: WriterRequest): readonly Item[] {
    const items = [...itemsOf(first)];
    while (!closing && items.length < MAX_IN_A_COMMIT) {
      const next = receiveMessageOnPort(port);
      if (next === undefined) break;
      items.push(...itemsOf(next.message as WriterRequest));
    }
    return items;
  }

  function reply(items: readonly Item[], outcomes: readonly Outcome[]): void {
    for (const [index, { name }] of items.entries()) putOutcome(name, outcomes[index]);
    const { values, bytes } = tape.cut();
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
    tape.put(succeeded);
    if (succeeded) (codecs[name] as AnyCodec).putResult(tape, outcome.value);
    else tape.put(errorMessage(asPortariaError(outcome?.error)));
  }

  function asPortariaError(error: unknown): PortariaError {
    return PortariaError.is(error) ? error : storeError(error, file);
  }

  function checkpoint(): void {
    const fatalBefore = batches.fatal();
    batches.checkpoint();
    // Nobody waits for it, so a failure would otherwise be seen at the next write only.
    if (batches.fatal() !== fatalBefore) reply([], []);
  }

  async function close(): Promise<void> {
    await log.close();
    database.close();
    port.close();
  }

  port.on('message', (request: WriterRequest) => {
    const items = gather(request);
    if (items.length > 0) {
      reply(items, batches.run(items.map(({ work }) => work)));
      checkpoint();
    }
    if (closing) void close();
  });
}

const port = parentPort;
port?.once('message', (data: WriterThreadData) => {
  serve(port, data);
});
