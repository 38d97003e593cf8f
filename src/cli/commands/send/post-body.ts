import { randomUUID } from 'node:crypto';
import { DeadlinePassed, startDeadline } from '../../../client/deadline.ts';
import type { JsonValue } from '../../../kernel/json/json.ts';
import { readText, TextTooLong } from '../../../kernel/http/read-text.ts';
import type { VerifyOptions } from '../../../verify/verify-options.ts';
import { signingHeaders } from '../../http/sign-body.ts';
import { printable } from '../../../kernel/text/printable.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** What the receiver answered. */
export interface SendAnswer {
  readonly status: number;
  /** Parsed where it is JSON. */
  readonly body: JsonValue;
}

const TIMEOUT_MS = 30_000;
/** Of an answer, in bytes: it is only shown. */
const MAX_ANSWER = 65_536;

/** @throws Error when nobody answers, or not in time, or without end. */
export async function postBody(options: {
  readonly url: string;
  readonly bytes: Uint8Array;
  readonly verify: VerifyOptions;
  readonly terminal: Pick<Terminal, 'fetch' | 'clock'>;
}): Promise<SendAnswer> {
  const { url, bytes, verify, terminal } = options;
  const message = { id: `msg_${randomUUID()}`, now: terminal.clock.now() };
  const deadline = startDeadline(terminal.clock, TIMEOUT_MS);
  let response: Response | undefined;
  try {
    response = await deadline.race(
      terminal.fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signingHeaders(verify, bytes, message) },
        body: Buffer.from(bytes),
        redirect: 'manual',
        signal: deadline.signal,
      }),
    );
    const text = await deadline.race(readText(response, MAX_ANSWER));
    return { status: response.status, body: jsonOr(text) };
  } catch (cause) {
    throw unanswered(url, response, cause);
  } finally {
    deadline.end();
  }
}

function unanswered(url: string, response: Response | undefined, cause: unknown): Error {
  if (cause instanceof DeadlinePassed)
    return new Error(`${url} gave no whole answer within ${String(TIMEOUT_MS / 1000)} s`);
  if (cause instanceof TextTooLong)
    return new Error(`${url} answered ${String(response?.status)} with ${cause.message}`);
  return new Error(`Nobody answers at ${url}: is \`portaria serve\` running there?`, { cause });
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
