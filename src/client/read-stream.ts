/** Reads server-sent events. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Endpoint } from '../contract/api/endpoint.ts';
import { TextTooLong } from '../kernel/http/read-text.ts';
import type { Deadline } from '../kernel/http/deadline.ts';
import { driftIssues, type Drift } from './drift.ts';

/** Bytes of one event, including ignored fields; a snapshot has a few hundred. */
const MAX_EVENT_BYTES = 1_048_576;

export interface ReadingOptions {
  readonly deadline: Deadline;
  /** Milliseconds without a byte after which the deadline passes. */
  readonly idleMs: number;
  /** Receives the reconnection delay that the server requests, in milliseconds. */
  readonly onRetry: (ms: number) => void;
}

/**
 * Reads the messages of a `text/event-stream` body until it ends.
 *
 * @throws TextTooLong, DeadlinePassed, the reason of the caller's signal, or the connection's error.
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  { deadline, idleMs, onRetry }: ReadingOptions,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const messages: EventSourceMessage[] = [];
  let bytesSinceMessage = 0;
  // The parser's own limit does not count the fields that it ignores.
  const parser = createParser({ onEvent: (message) => messages.push(message), onRetry });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      deadline.restart(idleMs);
      const { done, value } = await deadline.race(reader.read());
      // The consumer's own time does not count as idle.
      deadline.suspend();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      bytesSinceMessage = messages.length > 0 ? 0 : bytesSinceMessage + value.byteLength;
      if (bytesSinceMessage > MAX_EVENT_BYTES) throw new TextTooLong(MAX_EVENT_BYTES);
      yield* messages.splice(0);
    }
  } finally {
    // Do not wait for the server: the consumer has stopped reading.
    reader.cancel().catch(() => undefined);
  }
}

/** An event of a stream, with its data parsed. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/**
 * Parses a message of a stream. A mismatch with the contract is reported as
 * drift. Returns null for an unknown event, and for data that is not JSON.
 */
export function readStreamEvent(
  { operationId: operation, response }: Endpoint,
  message: { readonly event?: string | undefined; readonly data: string },
  onDrift: (drift: Drift) => void,
): StreamEvent | null {
  const { events = {} } = response;
  const event = message.event ?? 'message';
  const schema = Object.hasOwn(events, event) ? events[event] : undefined;
  if (schema === undefined) {
    const expected = `expected an event ${Object.keys(events).join(' or ')}`;
    onDrift({ operation, issues: [{ path: 'event', message: expected }] });
    return null;
  }
  let data: unknown;
  try {
    data = JSON.parse(message.data);
  } catch {
    onDrift({ operation, issues: [{ path: event, message: 'expected JSON' }] });
    return null;
  }
  const issues = driftIssues(schema, data, event);
  if (issues.length > 0) onDrift({ operation, issues });
  return { event, data };
}
