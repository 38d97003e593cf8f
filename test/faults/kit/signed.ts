import { createHmac } from 'node:crypto';

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const KEY = Buffer.from(SECRET.slice('whsec_'.length), 'base64');

export const schemes = ['none', 'token', 'hmac', 'standard'] as const;
export type Scheme = (typeof schemes)[number];

/** What a sender of the scheme adds to a body. Only `standard` covers the id, and takes none without. */
export function proof(scheme: Scheme, body: string, id = ''): Readonly<Record<string, string>> {
  switch (scheme) {
    case 'none':
      return {};
    case 'token':
      return { 'x-webhook-token': SECRET };
    case 'hmac':
      return { 'x-webhook-signature': createHmac('sha256', SECRET).update(body).digest('hex') };
    case 'standard': {
      const at = String(Math.floor(Date.now() / 1000));
      const mac = createHmac('sha256', KEY).update(`${id}.${at}.${body}`).digest('base64');
      return { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${mac}` };
    }
  }
}
