import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock } from '../kernel/time/clock.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { BodyRoom } from './body-room.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** Milliseconds from now until the last byte. */
  readonly timeoutMs: number;
  /** Where the body takes its room, of its length when it is whole: then it is the caller's to leave. */
  readonly room: BodyRoom;
}

/** Bytes that the pieces of a body have on average at least, */
const MIN_PIECE_BYTES = 32;
/** but for so many. Each costs as much as a kilobyte does: sent byte by byte, a body would block everybody. */
const FREE_PIECES = 4_096;
/** Of memory, beside its bytes, until they are put together. */
const PIECE_BYTES = 512;

/**
 * The whole body or nothing, counted while it is read: an announced length is
 * the sender's word, and a chunked body announces none.
 *
 * After a refusal the rest is left unread, and is the server's to get rid of.
 *
 * @throws PortariaError `body-too-large` as soon as it is, in bytes or in pieces; `body-incomplete`
 *   when the sender stops, or is too slow; `overloaded` when long bodies of others fill the room.
 */
export async function readBody(stream: Readable, limits: BodyLimits, clock: Clock): Promise<Uint8Array> {
  // A body that came along with its headers has been handed over by then.
  await Promise.resolve();
  return takeWhole(stream, limits) ?? collect(stream, limits, clock);
}

/**
 * All that was announced, if it is there already, as it is of most bodies: then nothing needs to be
 * waited for, counted or timed. Null when it is not, or nothing was announced.
 */
function takeWhole(stream: Readable, { maxBytes, room }: BodyLimits): Uint8Array | null {
  if (!(stream instanceof IncomingMessage) || stream.destroyed) return null;
  const { headers, readableLength } = stream;
  if (readableLength !== Number(headers['content-length']) || readableLength > maxBytes) return null;
  // The parser refuses requests with both; if it ever did not, only the chunks would tell where the body ends.
  if (headers['transfer-encoding'] !== undefined) return null;
  if (!room.grow(0, readableLength)) throw overloaded();
  const body = stream.read() as Uint8Array | null;
  // To its end, which frees the connection for the next request.
  stream.on('error', ignore).resume();
  return body ?? NOTHING;
}

const NOTHING = new Uint8Array();

function ignore(): void {
  // All there is of the body has been taken.
}

function collect(stream: Readable, limits: BodyLimits, clock: Clock): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    /** What it takes of the room: its pieces are more than the sum of their bytes. */
    let taken = 0;

    const cancelTimeout = clock.after(limits.timeoutMs, () => {
      refuse('body-incomplete', `The body took longer than ${String(limits.timeoutMs)} ms to arrive`);
    });
    stream.on('data', onData).once('end', onEnd).once('close', onClose);
    // Listened to for good: an error after we let go must not end the process.
    stream.on('error', onClose);
    if (stream.destroyed) onClose();

    function onData(chunk: Uint8Array): void {
      bytes += chunk.length;
      chunks.push(chunk);
      const grown = taken + chunk.length + PIECE_BYTES;
      if (bytes > limits.maxBytes) refuse('body-too-large', tooLargeMessage(limits.maxBytes));
      else if (chunks.length > FREE_PIECES + bytes / MIN_PIECE_BYTES)
        refuse('body-too-large', 'The body comes in too many pieces');
      else if (limits.room.grow(taken, grown)) taken = grown;
      else refuse('overloaded', OVERLOADED);
    }

    function onEnd(): void {
      limits.room.grow(taken, bytes);
      taken = 0;
      letGo();
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes));
    }

    /** `end` comes first when the body is whole. */
    function onClose(): void {
      refuse('body-incomplete', 'The connection ended before the body did');
    }

    function refuse(code: 'body-too-large' | 'body-incomplete' | 'overloaded', message: string): void {
      limits.room.leave(taken);
      taken = 0;
      letGo();
      stream.pause();
      reject(new PortariaError(code, message));
    }

    function letGo(): void {
      cancelTimeout();
      stream.off('data', onData).off('end', onEnd).off('close', onClose);
    }
  });
}

const OVERLOADED = 'Too many long bodies are on their way; send it again later';

function overloaded(): PortariaError {
  return new PortariaError('overloaded', OVERLOADED);
}

export function tooLargeMessage(maxBytes: number): string {
  return `The body is larger than ${String(maxBytes)} bytes`;
}
