import { parentPort, type MessagePort } from 'node:worker_threads';
import { Kysely, SqliteDialect } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import { systemClock } from '../../../kernel/time/clock.ts';
import type { DatabaseSchema } from '../file/database-schema.ts';
import { createIds } from '../sql/ids.ts';
import { openForReading } from '../file/open-database.ts';
import { createReads } from './reads.ts';
import { storeError } from '../file/store-error.ts';
import {
  errorMessage,
  type ReadReply,
  type ReaderRequest,
  type ReaderThreadData,
} from '../commit/thread/messages.ts';

type AnyRead = (...parameters: readonly unknown[]) => Promise<unknown>;

/** The reading thread: answers one question after another by a connection of its own that cannot write. */
function serve(port: MessagePort, { file, ...about }: ReaderThreadData): void {
  const database = openForReading(file);
  const connection = {
    database,
    query: new Kysely<DatabaseSchema>({ dialect: new SqliteDialect({ database }) }),
    clock: systemClock,
    ids: createIds(about.storeId),
  };
  const reads = createReads(connection, about) as unknown as Readonly<Record<string, AnyRead>>;

  async function answer(request: Exclude<ReaderRequest, 'close'>): Promise<ReadReply> {
    const { name, parameters } = request;
    try {
      return { value: await reads[name]?.(...parameters) };
    } catch (error) {
      const known = PortariaError.is(error) ? error : storeError(error, file);
      return { error: errorMessage(known) };
    }
  }

  port.on('message', (request: ReaderRequest) => {
    if (request === 'close') {
      database.close();
      port.close();
      return;
    }
    void answer(request).then((reply) => {
      port.postMessage(reply, buffersOf('value' in reply ? reply.value : null));
    });
  });
}

/** Memory that is handed over instead of copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member) =>
    member instanceof Float64Array && member.buffer instanceof ArrayBuffer ? [member.buffer] : [],
  );
}

const port = parentPort;
port?.once('message', (data: ReaderThreadData) => {
  serve(port, data);
});
