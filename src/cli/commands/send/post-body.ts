/** Posts a body to the receiver. */
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../kernel/json/json.ts';
import { printable } from '../../../kernel/text/printable.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';
import { post, type PostResponse } from '../../../client/post.ts';
import { signingHeaders } from '../../../verify/sign-body.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** The response of the receiver. */
export interface SendResponse {
  readonly status: number;
  /** Parsed if it is JSON, else a string. */
  readonly body: JsonValue;
}

const TIMEOUT_MS = 30_000;

/**
 * Signs and POSTs one body.
 *
 * @throws Error when there is no complete response within 30 seconds, or it is too long.
 */
export async function postBody(options: {
  readonly url: string;
  readonly bytes: Uint8Array;
  /** Headers besides those that sign the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly verify: VerifyOptions;
  readonly terminal: Pick<Terminal, 'fetch' | 'clock'>;
}): Promise<SendResponse> {
  const { url, bytes, verify, terminal } = options;
  const message = { id: `msg_${randomUUID()}`, now: terminal.clock.now() };
  const headers = { ...options.headers, ...signingHeaders(verify, bytes, message) };
  let response: PostResponse;
  try {
    response = await post({ url, headers, body: bytes, timeoutMs: TIMEOUT_MS }, terminal);
  } catch (cause) {
    throw new Error(`No response from ${url}: is \`portaria serve\` running there?`, { cause });
  }
  const { status, body } = response;
  if (body instanceof Error) throw new Error(`${url} responded ${String(status)}, but: ${body.message}`);
  return { status, body: jsonOrString(body) };
}

export function responseText({ status, body }: SendResponse): string {
  return printable(`${String(status)} ${typeof body === 'string' ? body : JSON.stringify(body)}`);
}

function jsonOrString(body: string): JsonValue {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return body;
  }
}
