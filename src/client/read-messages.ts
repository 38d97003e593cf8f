import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { TextTooLong } from '../kernel/http/read-text.ts';
import type { Deadline } from './deadline.ts';

/** Of one event, in bytes, with all that comes before it; a snapshot has a few hundred. */
const MAX_EVENT = 1_048_576;

export interface ReadingOptions {
  readonly deadline: Deadline;
  /** Milliseconds without a byte after which the deadline passes. */
  readonly idleMs: number;
  /** Told the pause before reconnecting that the server asks for, in milliseconds. */
  readonly onRetry: (ms: number) => void;
}

/**
 * The messages of a `text/event-stream` body, until it ends.
 *
 * @throws TextTooLong, DeadlinePassed, the reason of the caller's signal, or what the connection failed with.
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  { deadline, idleMs, onRetry }: ReadingOptions,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const messages: EventSourceMessage[] = [];
  let sinceMessage = 0;
  // The parser's own bound would not count the fields that it leaves out.
  const parser = createParser({ onEvent: (message) => messages.push(message), onRetry });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      deadline.restart(idleMs);
      const { done, value } = await deadline.race(reader.read());
      // The reader of the messages may take its time.
      deadline.suspend();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      sinceMessage = messages.length > 0 ? 0 : sinceMessage + value.byteLength;
      if (sinceMessage > MAX_EVENT) throw new TextTooLong(MAX_EVENT);
      yield* messages.splice(0);
    }
  } finally {
    // Whoever stops reading wants the connection closed, not its farewell.
    reader.cancel().catch(() => undefined);
  }
}
