import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../../kernel/json.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';
import { signingHeaders } from '../../http/sign-body.ts';
import { printable } from '../../output/printable.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** What the receiver answered. */
export interface SendAnswer {
  readonly status: number;
  /** Parsed where it is JSON. */
  readonly body: JsonValue;
}

const TIMEOUT_MS = 30_000;

/** @throws Error when nobody answers. */
export async function postBody(options: {
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly verify: VerifyOptions;
  readonly terminal: Pick<Terminal, 'fetch' | 'clock'>;
}): Promise<SendAnswer> {
  const { url, bytes, verify, terminal } = options;
  const message = { id: `msg_${randomUUID()}`, now: terminal.clock.now() };
  let response: Response;
  let text: string;
  try {
    response = await terminal.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signingHeaders(verify, bytes, message) },
      body: Buffer.from(bytes),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await response.text();
  } catch (cause) {
    throw new Error(`Nobody answers at ${url}: is \`portaria serve\` running there?`, {
      cause,
    });
  }
  return { status: response.status, body: jsonOr(text) };
}

export function answerText({ status, body }: SendAnswer): string {
  return printable(`${String(status)} ${typeof body === 'string' ? body : JSON.stringify(body)}`);
}

function jsonOr(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
