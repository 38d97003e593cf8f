import type { ParsedEvent } from '../../src/event/event.ts';
import type { VerifiedDelivery } from '../../src/event/delivery.ts';
import { createParse } from '../../src/parse/parse.ts';
import { specification } from '../../src/contract/specification.ts';

const parse = createParse(specification);

/** A webhook as the verifier passes it on: from source `default`, without headers and message id. */
export function verifiedDelivery(
  body: string | Uint8Array,
  changes: Partial<Omit<VerifiedDelivery, 'stage' | 'body'>> = {},
): VerifiedDelivery {
  return {
    stage: 'verified',
    source: 'default',
    senderVerified: true,
    receivedAt: 0,
    headers: {},
    body: typeof body === 'string' ? Buffer.from(body) : body,
    messageId: null,
    messageIdTrusted: false,
    ...changes,
  };
}

/** The event of such a webhook. @throws Error when the body is rejected. */
export function parsedEvent(...delivery: Parameters<typeof verifiedDelivery>): ParsedEvent {
  const parsed = parse(verifiedDelivery(...delivery));
  if (parsed.stage === 'rejected') throw new Error(`${parsed.message}: ${JSON.stringify(parsed.issues)}`);
  return parsed;
}
