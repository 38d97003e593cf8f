/** Responses with JSON, and how they are written to Node's HTTP server. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { KEEP_ALIVE } from './keep-alive.ts';

/** A response before it becomes bytes on a socket or a web `Response`. */
export interface HttpResponse {
  readonly status: number;
  /** An object is sent as JSON, a text by the `content-type` of the headers; null for no content. */
  readonly body: object | string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** An error response without a webhook. */
export function errorResponse(
  status: number,
  message: string,
  headers: HttpResponse['headers'] = {},
): HttpResponse {
  return { status, body: errorBody(status, message), headers };
}

/** The body of every error response, in the provider's own form (specification, Errors). */
export function errorBody(status: number, message: string): { error: string; message: string } {
  return { error: STATUS_CODES[status] ?? 'Error', message };
}

/** Writes a response to Node's HTTP server. */
export function sendResponse(target: ServerResponse, { status, body, headers }: HttpResponse): void {
  const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body);
  const staysOpen = announcesKeepAlive(target) && headers['connection'] !== 'close';
  target.writeHead(status, {
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...headers,
    ...(target.req.method === 'HEAD' || body === null ? {} : { 'content-length': Buffer.byteLength(text) }),
    ...(staysOpen ? { 'keep-alive': KEEP_ALIVE } : {}),
  });
  target.end(text);
}

/**
 * Whether a response may announce how long its connection stays open. Node closes the connection of an
 * expectation without `100 Continue` only when it writes the response.
 */
export function announcesKeepAlive({ shouldKeepAlive, req }: ServerResponse): boolean {
  return shouldKeepAlive && req.headers.expect === undefined;
}
