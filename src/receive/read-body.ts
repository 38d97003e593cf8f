/** Reads request bodies within limits of bytes, time and memory. */
import type { Readable } from 'node:stream';
import type { Clock } from '../kernel/time/clock.ts';
import { PortariaError } from '../kernel/errors.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** Milliseconds until the last byte. */
  readonly timeoutMs: number;
  /** Reserved while a body is read. After that the caller releases the length of the body. */
  readonly memory: BodyMemory;
}

/** Bytes that the chunks of a body have on average at least, after the first `FREE_CHUNKS`. */
const MIN_CHUNK_BYTES = 32;
/** A chunk costs as much CPU as a kilobyte: sent byte by byte, one body would block all others. */
const FREE_CHUNKS = 4_096;
/** Memory that a chunk takes besides its bytes. */
const CHUNK_OVERHEAD_BYTES = 512;

/**
 * Reads a whole body. It counts bytes as they arrive, because `content-length` may lie and chunked bodies
 * have none. After an error the rest is left unread for the server to discard.
 *
 * @throws PortariaError `body-too-large` (in bytes or in chunks), `body-incomplete` (the sender stopped or
 *   is too slow), `overloaded` (the memory for long bodies is used up), and one that the stream ends with
 */
export function readBody(stream: Readable, limits: BodyLimits, clock: Clock): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let reserved = 0;
    const cancelTimeout = clock.after(limits.timeoutMs, () => {
      fail('body-incomplete', `The body took longer than ${String(limits.timeoutMs)} ms to arrive`);
    });
    stream.on('data', onData).once('end', onEnd).once('close', onClose);
    // This listener stays: an error after the body has been read must not end the process.
    stream.on('error', (error) => {
      if (PortariaError.is(error)) end(error);
      else onClose();
    });
    if (stream.destroyed) onClose();

    function onData(chunk: Uint8Array): void {
      bytes += chunk.length;
      chunks.push(chunk);
      const needed = reserved + chunk.length + CHUNK_OVERHEAD_BYTES;
      if (bytes > limits.maxBytes) fail('body-too-large', tooLargeMessage(limits.maxBytes));
      else if (chunks.length > FREE_CHUNKS + bytes / MIN_CHUNK_BYTES)
        fail('body-too-large', 'The body comes in too many chunks');
      else if (limits.memory.resize(reserved, needed)) reserved = needed;
      else fail('overloaded', 'Too many long bodies are being received; send it again later');
    }

    function onEnd(): void {
      limits.memory.resize(reserved, bytes);
      reserved = 0;
      detach();
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes));
    }

    /** A whole body emits `end` first, which detaches this. */
    function onClose(): void {
      fail('body-incomplete', 'The connection ended before the body did');
    }

    function fail(code: 'body-too-large' | 'body-incomplete' | 'overloaded', message: string): void {
      end(new PortariaError(code, message));
    }

    function end(error: PortariaError): void {
      limits.memory.release(reserved);
      reserved = 0;
      detach();
      stream.pause();
      reject(error);
    }

    function detach(): void {
      cancelTimeout();
      stream.off('data', onData).off('end', onEnd).off('close', onClose);
    }
  });
}

export function tooLargeMessage(maxBytes: number): string {
  return `The body is larger than ${String(maxBytes)} bytes`;
}

/**
 * Bytes of each body that are not counted against the shared memory. Most webhooks are shorter, so senders
 * of unfinished long bodies cannot shut them out.
 */
export const FREE_BODY_BYTES = 16 * 1024;

/** Bounds the memory that all long bodies together take, from their first byte until their response. */
export interface BodyMemory {
  /** Resizes the reservation of one body, in bytes. Returns false and changes nothing when memory is short. */
  resize(from: number, to: number): boolean;
  /** Ends the reservation of a body of this many bytes. */
  release(bytes: number): void;
}

/** @param maxBytes of all bodies together, beyond the free bytes of each */
export function createBodyMemory(maxBytes: number): BodyMemory {
  let used = 0;
  return {
    resize(from, to) {
      const more = countedBytes(to) - countedBytes(from);
      if (more > 0 && used + more > maxBytes) return false;
      used += more;
      return true;
    },
    release(bytes) {
      used -= countedBytes(bytes);
    },
  };
}

function countedBytes(bytes: number): number {
  return Math.max(0, bytes - FREE_BODY_BYTES);
}
