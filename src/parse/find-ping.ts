/** Finds verified deliveries that are no events: pings, and challenges that the sender signs. */
import type { Contract } from '../contract/contract.ts';
import type { SourceFields } from '../contract/source-fields.ts';
import type { VerifiedDelivery } from '../event/delivery.ts';
import type { PingReceipt } from '../event/receipt.ts';
import { ownMember, type JsonValue } from '../kernel/json/json.ts';
import type { ReadJson } from './read-json.ts';

/** Returns what a delivery is answered with, if it is a ping. `json` is its body, and is parsed after this. */
export type FindPing = (delivery: VerifiedDelivery, json: ReadJson) => PingReceipt | undefined;

/** Returns null for a source without pings. A function that throws finds none. */
export function createFindPing(
  contract: Contract,
  source: string,
  { ping, handshake }: SourceFields,
): FindPing | null {
  if (ping === undefined && handshake !== 'slack') return null;
  const envelope = contract.envelopeOf(source);
  const kinds = typeof ping === 'string' ? [ping] : typeof ping === 'function' ? [] : (ping ?? []);

  function kindOf(body: JsonValue, { headers }: VerifiedDelivery): string | null {
    const kind = envelope.type(body, headers);
    return typeof kind === 'string' ? kind : null;
  }

  return (delivery, json) => {
    if (!json.ok) return undefined;
    const { value } = json;
    const challenge = handshake === 'slack' ? slackChallenge(value) : undefined;
    if (challenge !== undefined) return { status: 'ping', id: null, kind: null, challenge };
    try {
      // Only `true`: a promise would make every delivery a ping. A copy: the function may change it, and the event is what was sent.
      if (typeof ping === 'function')
        return (ping(structuredClone(value)) as unknown) === true
          ? { status: 'ping', id: null, kind: null }
          : undefined;
      const kind = kinds.length === 0 ? null : kindOf(value, delivery);
      return kind !== null && kinds.includes(kind) ? { status: 'ping', id: null, kind } : undefined;
    } catch {
      return undefined;
    }
  };
}

function slackChallenge(body: JsonValue): string | undefined {
  const challenge = ownMember(body, 'challenge');
  return ownMember(body, 'type') === 'url_verification' && typeof challenge === 'string'
    ? challenge
    : undefined;
}
