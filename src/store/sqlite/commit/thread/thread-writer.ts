import type { Clock } from '../../../../kernel/time/clock.ts';
import { PortariaError } from '../../../../kernel/errors.ts';
import type { WriteOperations } from '../write-operations.ts';
import { committedOperations, type Writer } from '../writer.ts';
import type { Codec } from './codec.ts';
import { codecs } from './codecs.ts';
import {
  portariaError,
  type ErrorMessage,
  type WriteReply,
  type WriterRequest,
  type WriterThreadData,
} from './messages.ts';
import { takeWriterThread } from './prewarmed-writer.ts';
import { TapeReader, TapeWriter } from './batch-encoder.ts';

export interface ThreadWriterOptions extends WriterThreadData {
  readonly clock: Clock;
  /** Told once, when the file must not be written again or the thread is gone. */
  readonly onFatal: (error: PortariaError) => void;
}

/**
 * Events that arrive are sent as soon as so many have gathered: the thread is
 * at work on them while the rest of a burst is looked into, which all comes in
 * a row (see receive-webhook.ts). Everything else is sent at the end of the
 * turn of the loop: deliveries follow each other quickly, and each message
 * takes as long as some of them.
 */
const MAX_GATHERED = 16;

/** Nothing in it refers to what is to be written: on the tape that is, and many events wait at a time. */
interface Call {
  readonly codec: { takeResult(tape: TapeReader): unknown };
  readonly resolve: (value: never) => void;
  readonly reject: (error: PortariaError) => void;
}

/**
 * Commits in a thread of its own: while one transaction waits for the disk,
 * requests are read and checked, and share the next.
 *
 * The thread does not keep the process alive, except while somebody waits for it.
 */
export function createThreadWriter({
  file,
  storeId,
  maxQuarantineBytes,
  clock,
  onFatal,
}: ThreadWriterOptions): Writer {
  const thread = takeWriterThread();
  thread.postMessage({ file, storeId, maxQuarantineBytes } satisfies WriterThreadData, []);
  const tape = new TapeWriter();
  /** What was asked for and not answered, oldest first. */
  let waiting: Call[] = [];
  /** How many of them are on the tape, and how many of those are events that arrived. */
  let gathered = 0;
  let arrived = 0;
  let healthy = true;
  let fatal: PortariaError | undefined;
  let closed = false;

  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      if (!closed) fail(new PortariaError('store-failed', `${file}: the thread that writes it has ended`));
      abandon(new PortariaError('stopping', `${file} is closed`));
      resolve();
    });
  });
  thread.on('error', (error) => {
    fail(
      new PortariaError('store-failed', `${file}: the thread that writes it failed (${error.message})`, {
        cause: error,
      }),
    );
  });
  thread.on('message', settle);

  function post(request: WriterRequest, transfer: readonly ArrayBuffer[] = []): void {
    thread.postMessage(request, transfer);
  }

  function flush(): void {
    if (gathered === 0) return;
    const operations = gathered;
    gathered = 0;
    arrived = 0;
    const content = tape.cut();
    try {
      post({ type: 'write', operations, now: clock.now(), ...content }, [content.bytes.buffer]);
    } catch (error) {
      // Something in it cannot be cloned. What was sent before is answered still.
      const failure = new PortariaError('store-failed', `${file}: what is to be written is no data`, {
        cause: error,
      });
      for (const { reject } of waiting.splice(waiting.length - operations)) reject(failure);
    }
  }

  function settle(reply: WriteReply): void {
    healthy = reply.healthy;
    const reader = new TapeReader(reply);
    const settled = waiting.slice(0, reply.operations);
    waiting = waiting.slice(reply.operations);
    if (waiting.length === 0) thread.unref();
    for (const call of settled) {
      if (reader.take<boolean>()) call.resolve(call.codec.takeResult(reader) as never);
      else call.reject(portariaError(reader.take<ErrorMessage>()));
    }
    if (reply.fatal !== null) fail(portariaError(reply.fatal));
  }

  function fail(error: PortariaError): void {
    healthy = false;
    if (fatal !== undefined) return;
    fatal = error;
    onFatal(error);
  }

  /** Nobody will answer any more. */
  function abandon(reason: PortariaError): void {
    for (const { reject } of waiting) reject(fatal ?? reason);
    waiting = [];
    gathered = 0;
    arrived = 0;
  }

  function call<Name extends keyof WriteOperations>(
    name: Name,
    ...parameters: Parameters<WriteOperations[Name]>
  ): Promise<ReturnType<WriteOperations[Name]>> {
    return new Promise((resolve, reject) => {
      const refusal = fatal ?? (closed ? new PortariaError('stopping', `${file} is closed`) : undefined);
      if (refusal !== undefined) {
        reject(refusal);
        return;
      }
      const codec: Codec<Name> = codecs[name];
      tape.put(name);
      codec.putParameters(tape, ...parameters);
      if (waiting.length === 0) thread.ref();
      waiting.push({ codec, resolve, reject });
      gathered += 1;
      if (name === 'accept') arrived += 1;
      if (arrived === MAX_GATHERED) flush();
      else if (arrived === 1) process.nextTick(flush);
      else if (gathered === 1) setImmediate(flush);
    });
  }

  const operations = committedOperations(call);
  return {
    operations,
    healthy() {
      // Whatever comes of it is seen at the next question.
      if (!healthy && fatal === undefined) operations.probe().catch(() => undefined);
      return healthy;
    },
    async close() {
      if (closed) return ended;
      closed = true;
      flush();
      thread.ref();
      post({ type: 'close' });
      await ended;
    },
  };
}
