/** Sends writes to the writing thread, and passes its replies on. */
import type { Worker } from 'node:worker_threads';
import { PortariaError } from '../../../../kernel/errors.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import type { WriteOperations } from '../write-operations.ts';
import { createWriter, type Writer } from '../writer.ts';
import {
  BatchDecoder,
  BatchEncoder,
  portariaError,
  type Codec,
  type ErrorMessage,
  type WriteReply,
  type WriterRequest,
  type WriterThreadData,
} from './messages.ts';
import { operationCodecs, type OperationCodec } from './operation-codecs.ts';
import { takeWriterThread } from './prewarmed-writer.ts';

export interface WriterClientOptions extends WriterThreadData {
  readonly clock: Clock;
  /** Called once, when the file must not be written again or the thread has exited. */
  readonly onFatal: (error: PortariaError) => void;
  /** Returns a thread that runs writer-thread.ts. */
  readonly startThread?: (() => Worker) | undefined;
}

/**
 * The number of events that are sent at once: the thread commits them while the
 * receiver parses the rest of a burst (see receive-webhook.ts). All other
 * operations are sent at the end of the event loop's run: deliveries follow each
 * other quickly, and a message costs as much as several of them.
 */
const EVENTS_PER_MESSAGE = 16;

/** A pending call. It holds no event: many calls wait at a time, and every minor GC would copy them. */
interface Call {
  readonly result: Codec<never>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: PortariaError) => void;
}

/**
 * Commits in a thread of its own: while a transaction waits for the disk, this
 * thread receives and checks requests, which share the next transaction.
 *
 * The thread keeps the process alive only while calls are pending.
 */
export function createWriterClient({
  file,
  storeId,
  watched,
  maxQuarantineBytes,
  clock,
  onFatal,
  startThread = takeWriterThread,
}: WriterClientOptions): Writer {
  const thread = startThread();
  thread.postMessage({ file, storeId, watched, maxQuarantineBytes } satisfies WriterThreadData, []);
  const encoder = new BatchEncoder();
  /** The calls without a reply, oldest first. */
  let pending: Call[] = [];
  /** The number of calls encoded but not sent, and of the events among them. */
  let unsent = 0;
  let unsentEvents = 0;
  let healthy = true;
  let fatal: PortariaError | undefined;
  let closed = false;

  const exited = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      if (!closed) fail(new PortariaError('store-failed', `${file}: the writing thread has exited`));
      rejectPending(new PortariaError('stopping', `${file} is closed`));
      resolve();
    });
  });
  thread.on('error', (error) => {
    fail(
      new PortariaError('store-failed', `${file}: the writing thread failed (${error.message})`, {
        cause: error,
      }),
    );
  });
  thread.on('message', receive);

  function post(request: WriterRequest, transfer: readonly ArrayBuffer[] = []): void {
    thread.postMessage(request, transfer);
  }

  function flush(): void {
    if (unsent === 0) return;
    const operations = unsent;
    unsent = 0;
    unsentEvents = 0;
    const content = encoder.finish();
    try {
      post({ type: 'write', operations, now: clock.now(), ...content }, [content.bytes.buffer]);
    } catch (error) {
      // A parameter cannot be cloned. Earlier calls still get their replies.
      const failure = new PortariaError('store-failed', `${file}: a value to write cannot be cloned`, {
        cause: error,
      });
      for (const { reject } of pending.splice(pending.length - operations)) reject(failure);
    }
  }

  function receive(reply: WriteReply): void {
    healthy = reply.healthy;
    const decoder = new BatchDecoder(reply);
    const answered = pending.slice(0, reply.operations);
    pending = pending.slice(reply.operations);
    if (pending.length === 0) thread.unref();
    for (const call of answered) {
      if (decoder.read() === true) call.resolve(call.result.read(decoder));
      else call.reject(portariaError(decoder.read() as ErrorMessage));
    }
    if (reply.fatal !== null) fail(portariaError(reply.fatal));
  }

  function fail(error: PortariaError): void {
    healthy = false;
    if (fatal !== undefined) return;
    fatal = error;
    onFatal(error);
  }

  function rejectPending(reason: PortariaError): void {
    for (const { reject } of pending) reject(fatal ?? reason);
    pending = [];
    unsent = 0;
    unsentEvents = 0;
  }

  function call<Name extends keyof WriteOperations>(
    name: Name,
    ...parameters: Parameters<WriteOperations[Name]>
  ): Promise<ReturnType<WriteOperations[Name]>> {
    return new Promise((resolve, reject) => {
      const error = fatal ?? (closed ? new PortariaError('stopping', `${file} is closed`) : undefined);
      if (error !== undefined) {
        reject(error);
        return;
      }
      const codec: OperationCodec<Name> = operationCodecs[name];
      encoder.write(name);
      codec.parameters.write(encoder, parameters);
      if (pending.length === 0) thread.ref();
      pending.push({ result: codec.result as Codec<never>, resolve, reject });
      unsent += 1;
      if (name === 'accept') unsentEvents += 1;
      if (unsentEvents === EVENTS_PER_MESSAGE) flush();
      else if (unsentEvents === 1) process.nextTick(flush);
      else if (unsent === 1) setImmediate(flush);
    });
  }

  return createWriter({
    names: Object.keys(operationCodecs),
    call,
    healthy: () => healthy,
    fatal: () => fatal,
    async close() {
      if (closed) return exited;
      closed = true;
      flush();
      thread.ref();
      post({ type: 'close' });
      await exited;
    },
  });
}
