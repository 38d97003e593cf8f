import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** A secret that every scheme accepts. */
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export const schemes = ['none', 'token', 'hmac', 'standard'] as const;
export type Scheme = (typeof schemes)[number];

/** The headers with which a sender proves that a body is its own. Only scheme `standard` signs the id. */
export function signatureHeaders(scheme: Scheme, body: string, id = ''): Readonly<Record<string, string>> {
  switch (scheme) {
    case 'none':
      return {};
    case 'token':
      return { 'x-webhook-token': SECRET };
    case 'hmac':
      return { 'x-webhook-signature': createHmac('sha256', SECRET).update(body).digest('hex') };
    case 'standard': {
      const now = new Date();
      return {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(SECRET).sign(id, now, body),
      };
    }
  }
}
