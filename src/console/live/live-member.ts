/** One open stream of a live page. */
import type { Page } from '../page.ts';
import type { LiveFilter } from './live-filter.ts';

/** Bytes that wait for a client, at most: seconds of a busy stream. A slower client is dropped. */
const MAX_UNSENT_BYTES = 262_144;

/** An open stream. */
export interface Member {
  readonly page: Page;
  readonly filter: LiveFilter;
  readonly stream: ReadableStream<Uint8Array>;
  /** The number of the newest event of its first read; null until then. */
  from: number | null;
  /** Events that it was not shown. */
  missed: number;
  /** Sends a message. Returns false when the client reads too slowly. */
  send(message: Uint8Array): boolean;
  /** Ends the stream. The client gets what was sent before. */
  end(): void;
}

/** @param left called when the client closes the stream */
export function createMember(
  { page, filter }: Pick<Member, 'page' | 'filter'>,
  left: (member: Member) => void,
): Member {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started;
      },
      cancel() {
        controller = null;
        left(member);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNSENT_BYTES }),
  );
  const member: Member = {
    page,
    filter,
    stream,
    from: null,
    missed: 0,
    send(message) {
      controller?.enqueue(message);
      return (controller?.desiredSize ?? 1) > 0;
    },
    end() {
      controller?.close();
      controller = null;
    },
  };
  return member;
}

const encoder = new TextEncoder();

/**
 * Encodes a message of server-sent events.
 *
 * @param id the event that a client resumes after; empty for none
 * @param event the name of the message; a message without one has HTML
 */
export function liveMessage({
  id,
  event = '',
  data = '',
}: {
  readonly id: string;
  readonly event?: string;
  readonly data?: string;
}): Uint8Array {
  const lines = [
    ...(event === '' ? [] : [`event: ${event}`]),
    ...(id === '' ? [] : [`id: ${id}`]),
    ...data.split(/\r\n|\r|\n/u).map((line) => `data: ${line}`),
  ];
  return encoder.encode(`${lines.join('\n')}\n\n`);
}
