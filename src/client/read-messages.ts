import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Deadline } from './deadline.ts';

/** Of one event, in characters; a snapshot has a few hundred. */
const LONGEST_EVENT = 1_048_576;

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
 * @throws DeadlinePassed, the reason of the caller's signal, or what the connection failed with.
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  { deadline, idleMs, onRetry }: ReadingOptions,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const messages: EventSourceMessage[] = [];
  let failure: Error | undefined;
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onRetry,
    onError: (error) => {
      // Fields that nobody knows are to be ignored.
      if (error.type === 'max-buffer-size-exceeded') failure = error;
    },
    maxBufferSize: LONGEST_EVENT,
  });
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
      if (failure !== undefined) throw failure;
      yield* messages.splice(0);
    }
  } finally {
    // Whoever stops reading wants the connection closed, not its farewell.
    reader.cancel().catch(() => undefined);
  }
}
