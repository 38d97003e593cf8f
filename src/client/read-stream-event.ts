import type { Endpoint } from '../contract/api/endpoint.ts';
import { driftIssues, type Drift } from './drift.ts';

/** An event of a stream, of whatever endpoint. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

/**
 * A message of a stream as the event that it is. One that the endpoint does
 * not declare, or whose data is no JSON, is reported and left out: null.
 */
export function readStreamEvent(
  { operationId: operation, response: answer }: Endpoint,
  message: { readonly event?: string | undefined; readonly data: string },
  onDrift: (drift: Drift) => void,
): StreamEvent | null {
  const { events = {} } = answer;
  const event = message.event ?? 'message';
  const schema = Object.hasOwn(events, event) ? events[event] : undefined;
  const data = schema && jsonIn(message.data);
  if (schema === undefined || data === undefined) {
    const expected = schema === undefined ? `an event ${Object.keys(events).join(' or ')}` : 'JSON';
    onDrift({
      operation,
      issues: [{ path: schema === undefined ? 'event' : event, message: `expected ${expected}` }],
    });
    return null;
  }
  const issues = driftIssues(schema, data, event);
  if (issues.length > 0) onDrift({ operation, issues });
  return { event, data };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
