/** What senders post: repeats, late and reordered contents, other spellings, broken bodies and wrong proofs. */
import { signingHeaders } from '../../../src/verify/sign-body.ts';
import type { RawDelivery } from '../../../src/event/delivery.ts';
import type { Sent } from '../checker/identity.ts';
import type { Sending } from '../story.ts';
import { FEW } from './names.ts';

export const SECRET = `whsec_${Buffer.from('the secret of the simulation, 32').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.from('the secret of another sender, 32').toString('base64')}`;
const FIRST_VERSION = Date.UTC(2026, 0, 1);
const statuses = ['pending', 'paid', 'overdue'];

/** The e-mail address of a console user. */
export function emailOf(subject: number): string {
  return `person-${String(subject)}@example.com`;
}

/** A charge as the provider has it. */
export function chargeOf(subject: number, content: number): Readonly<Record<string, unknown>> {
  return { id: subject + 1, type: 'fine', status: statuses[content % 3], code: `c${String(content)}` };
}

function dataOf({ record, subject, content, form }: Sending): Readonly<Record<string, unknown>> {
  if (record === 'charge')
    return { ...chargeOf(subject, content), ...(form === 'unknown-value' && { status: 'refunded' }) };
  const minutes = content < FEW ? content % 20 : content;
  const at = new Date(FIRST_VERSION + minutes * 60_000).toISOString();
  // Two contents may have the same version.
  return {
    id: `u${String(subject)}`,
    email: emailOf(subject),
    external_uid: `v${String(content)}`,
    updated_at: at,
  };
}

/** @param number of the webhook, for an id that no other has */
export function posted(sending: Sending, number: number, now: number): { raw: RawDelivery; sent: Sent } {
  const { source, record, form, message } = sending;
  const kind = `${record}.updated`;
  const data = dataOf(sending);
  const envelope = form === 'other-order' ? { data, type: kind } : { type: kind, data };
  const text =
    form === 'invalid'
      ? JSON.stringify({ type: kind, data: { ...data, id: null } })
      : form === 'malformed'
        ? `{"type":"${kind}","data":${String(sending.content)}`
        : JSON.stringify(envelope, null, form === 'other-order' ? 1 : 0);
  const body = Buffer.from(text);
  const id = message === null ? `m-${String(number)}` : `m-used-${String(message)}`;
  const secrets = [form === 'wrong-proof' ? OTHER_SECRET : SECRET];
  const headers =
    source === 'signed'
      ? signingHeaders({ scheme: 'standard', secrets, messageIdHeader: 'webhook-id' }, body, { id, now })
      : { 'webhook-id': id };
  const name =
    record === 'charge'
      ? `charge:${String(sending.subject + 1)}`
      : `console-user:u${String(sending.subject)}`;
  const at = typeof data['updated_at'] === 'string' ? data['updated_at'] : null;
  return {
    raw: {
      stage: 'raw',
      source,
      receivedAt: now,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    },
    sent: {
      ...{ sending, body: text, kind, version: at },
      subject: `${source} ${name}`,
      content: `${source} ${kind} ${JSON.stringify(data)}`,
      message: source === 'signed' ? id : null,
      at: now,
    },
  };
}
