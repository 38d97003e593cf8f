/** Writes a curl command that posts an event again. */
import type { Contract } from '../../contract/contract.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { isJsonObject } from '../../kernel/json/json.ts';
import { shellQuoted } from '../../kernel/text/shell-word.ts';
import type { Queries } from '../../store/queries.ts';
import { sentPayload } from '../../view/payload/sent-payload.ts';
import { utf8Text } from '../../view/payload/stored-envelope.ts';
import type { Masking } from '../../view/payload/unmasking.ts';

/** How webhooks of a source are sent to this Portaria: never a secret. */
export interface WebhookAddress {
  readonly url: string;
  /** The name of a scheme. */
  readonly scheme: string;
  /** The header with the proof; null where none has it. */
  readonly header: string | null;
  readonly messageIdHeader: string;
}

/** A command that sends an event again. */
export interface CurlCommand {
  /** Lines of a POSIX shell; null when the payload is pruned, too large, or cannot be written while masked. */
  readonly command: string | null;
  readonly masked: boolean;
  /** Whether the shell needs the variable `PORTARIA_SECRET`. */
  readonly needsSecret: boolean;
}

/** Bytes of a body that a command may quote. */
const MAX_BYTES = 262_144;

/**
 * Writes the command that sends an event again: the body as it was received or, while masked, its envelope with
 * personal data masked.
 *
 * @throws PortariaError `not-found`
 */
export async function curlCommand(
  store: Pick<Queries, 'event'>,
  id: string,
  { address, ...masking }: Masking & { readonly address: (source: string) => WebhookAddress },
): Promise<CurlCommand> {
  const event = await store.event(id);
  if (event === null) throw new PortariaError('not-found', `There is no event ${id}`);
  const { contract, unmask } = masking;
  const to = address(event.source);
  const needsSecret = SHELL_SIGNS.has(to.scheme);
  const none = { command: null, masked: !unmask, needsSecret };
  if (event.body === null || event.body.byteLength > MAX_BYTES) return none;
  const body = unmask ? utf8Text(event.body) : maskedBody(event, contract);
  if (body === undefined) return none;
  const kept = contract.envelopeOf(event.source).headers.flatMap((name) => {
    const value = event.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const headers = new Map([['content-type', event.headers['content-type'] ?? 'application/json'], ...kept]);
  // The standard signs an id of its own.
  if (event.messageId !== null && to.scheme !== 'standard') headers.set(to.messageIdHeader, event.messageId);
  return { command: shellLines(body, headers, to), masked: !unmask, needsSecret };
}

function maskedBody(event: Parameters<typeof sentPayload>[0], contract: Contract): string | undefined {
  const { shown } = sentPayload(event, { unmask: false, contract });
  if (!isJsonObject(shown)) return undefined;
  const message = contract.envelopeOf(event.source).write(event.kind, shown);
  return message === undefined ? undefined : JSON.stringify(message.body);
}

function shellLines(body: string, headers: ReadonlyMap<string, string>, to: WebhookAddress): string {
  const signing = signingLines(to);
  const given = [...headers].map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)} \\`);
  return [
    `body=${quoted(withoutControls(body))}`,
    ...signing.before,
    `printf '%s' "$body" | curl --data-binary @- \\`,
    ...given,
    ...signing.headers.map((header) => `  -H "${header}" \\`),
    `  ${quoted(to.url)}`,
  ].join('\n');
}

/** Escapes the characters of JSON that a terminal takes for keys when a command is pasted, such as the one that deletes. */
function withoutControls(json: string): string {
  return json.replaceAll(/[\u007F-\u009F]/gu, (key) => `\\u00${key.charCodeAt(0).toString(16)}`);
}

/** Quotes a text for a POSIX shell, without what a terminal takes for keys. */
function quoted(text: string): string {
  return shellQuoted(text.replaceAll(/[\u007F-\u009F]/gu, ''));
}

/** Schemes whose proof a shell can make. */
const SHELL_SIGNS = new Set(['token', 'basic', 'hmac', 'standard']);

function signingLines({ scheme, header }: WebhookAddress): {
  readonly before: readonly string[];
  readonly headers: readonly string[];
} {
  switch (scheme) {
    case 'none':
      return { before: [], headers: [] };
    case 'token':
      // In a parameter of the address, a secret would be in every log on the way.
      if (header === null) return { before: ['# Add the query parameter with the token.'], headers: [] };
      return { before: [], headers: [`${header}: $PORTARIA_SECRET`] };
    case 'basic':
      return {
        before: [],
        headers: [`authorization: Basic $(printf '%s' "$PORTARIA_SECRET" | openssl base64 -A)`],
      };
    case 'hmac':
      return {
        before: [
          `signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac "$PORTARIA_SECRET" -hex | sed 's/.* //')`,
        ],
        headers: [`${header ?? ''}: $signature`],
      };
    case 'standard':
      return {
        before: [
          'at=$(date +%s)',
          'id=msg_$at',
          `key=$(printf '%s' "\${PORTARIA_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`,
          `signature=$(printf '%s.%s.%s' "$id" "$at" "$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)`,
        ],
        headers: ['webhook-id: $id', 'webhook-timestamp: $at', 'webhook-signature: v1,$signature'],
      };
    default:
      return {
        before: [`# Add the proof of the sender (${scheme}): portaria send signs where it can.`],
        headers: [],
      };
  }
}
