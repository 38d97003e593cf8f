import type { DefinedSource } from './config/config.ts';
import type { Contract } from './contract/contract.ts';
import type { JsonValue } from './kernel/json/json.ts';

/** Returns the senders of a contract as the configuration reads their verification. */
export function definedSources({ senders }: Contract): readonly DefinedSource[] {
  return senders.map(({ name, origin, verify, envelope }) => ({
    name,
    origin,
    verify,
    headers: envelope.headers,
  }));
}

/** Returns how a store reads the payload of a stored body; nothing when all sources send the provider's envelope. */
export function payloadReader(contract: Contract): {
  readonly dataOf?: (source: string, body: JsonValue) => JsonValue | undefined;
} {
  if (contract.senders.length === 0) return {};
  return { dataOf: (source, body) => contract.envelopeOf(source).data(body) };
}
