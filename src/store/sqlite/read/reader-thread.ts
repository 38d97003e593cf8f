/** The program of the reading thread. */
import { parentPort, type MessagePort } from 'node:worker_threads';
import { PortariaError } from '../../../kernel/errors.ts';
import { systemClock } from '../../../kernel/time/clock.ts';
import {
  errorMessage,
  type ReaderRequest,
  type ReaderThreadData,
  type ReadReply,
  type ReadRequest,
} from '../commit/thread/messages.ts';
import { openForReading } from '../file/open-database.ts';
import { storeError } from '../file/store-error.ts';
import { createConnection } from '../sql/connection.ts';
import { createReads } from './reads.ts';

type AnyRead = (...parameters: readonly unknown[]) => Promise<unknown>;

/** Runs the reading thread: one read after another, on a read-only connection of its own. */
function serve(port: MessagePort, { file, ...about }: ReaderThreadData): void {
  const database = openForReading(file);
  const connection = createConnection(database, about.storeId, systemClock);
  const reads = createReads(connection, about) as unknown as Readonly<Record<string, AnyRead>>;

  async function read({ name, parameters }: ReadRequest): Promise<ReadReply> {
    try {
      return { value: await reads[name]?.(...parameters) };
    } catch (error) {
      return { error: errorMessage(PortariaError.is(error) ? error : storeError(error, file)) };
    }
  }

  port.on('message', (request: ReaderRequest) => {
    if (request === 'close') {
      database.close();
      port.close();
      return;
    }
    void read(request).then((reply) => {
      port.postMessage(reply, buffersOf('value' in reply ? reply.value : null));
    });
  });
}

/** Returns the buffers to transfer instead of copying. */
function buffersOf(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member) =>
    member instanceof Float64Array && member.buffer instanceof ArrayBuffer ? [member.buffer] : [],
  );
}

/** Serves the store that the first message names. A thread of tests serves several, each by its own port. */
export function serveReader(port: MessagePort): void {
  port.once('message', (data: ReaderThreadData) => {
    serve(port, data);
  });
}

if (parentPort !== null) serveReader(parentPort);
