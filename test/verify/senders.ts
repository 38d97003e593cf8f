/** Senders with signatures of their own, by their descriptions. */
import { createHash, createHmac, generateKeyPairSync, sign as signWith, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import type { SourceVerification } from '../../src/contract/source-verification.ts';
import type { RawDelivery } from '../../src/event/delivery.ts';

export const NOW = Date.parse('2026-11-20T12:00:00Z');
export const SECONDS = NOW / 1000;
export const BODY = '{"type":"charge.created","data":{"id":1}}';

export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

export interface Sender {
  readonly verify: SourceVerification;
  /** What the receiver has, and what the sender signs with. */
  readonly keys: readonly { readonly known: string; readonly own: string | KeyObject }[];
  readonly send: (key: never, body: string, at: number) => Sent | Promise<Sent>;
  readonly isTimed?: true;
  /** Whether trying the usual templates does not find it. */
  readonly isUnusual?: true;
  /** Whether nothing covers the body. */
  readonly isBodyOpen?: true;
  /** Seconds; default 300. */
  readonly tolerance?: number;
}

function hmac(key: string | Uint8Array, content: string, algorithm = 'sha256'): Buffer {
  return createHmac(algorithm, key).update(content).digest();
}

const texts = ['the first secret, which is old', 'the second secret, which is new'].map((secret) => ({
  known: secret,
  own: secret,
}));
const base64Keys = ['the first key, which is old', 'the second key, which is new'].map((secret) => ({
  known: `whsec_${Buffer.from(secret).toString('base64')}`,
  own: secret,
}));

/** Two keys of one kind, in different forms. */
function pairs(
  make: () => { publicKey: KeyObject; privateKey: KeyObject },
  write: readonly ((key: KeyObject) => string)[],
) {
  return write.map((one) => {
    const { publicKey, privateKey } = make();
    return { known: one(publicKey), own: privateKey };
  });
}
const pem = (key: KeyObject): string => key.export({ format: 'pem', type: 'spki' }).toString();
const oneLine = (key: KeyObject): string => pem(key).replaceAll('\n', '\\n');
const unwrapped = (key: KeyObject): string => pem(key).replaceAll('\n', ' ').trim();
const raw = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-32);
const whpk = (key: KeyObject): string => `whpk_${raw(key).toString('base64')}`;
const hex = (key: KeyObject): string => raw(key).toString('hex');

const ed25519 = () => generateKeyPairSync('ed25519');
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

export const senders: Readonly<Record<string, Sender>> = {
  stripe: {
    verify: 'stripe',
    keys: texts,
    isTimed: true,
    send: (key: string, body, at) => ({
      headers: {
        'stripe-signature': `t=${String(at)},v1=${hmac(key, `${String(at)}.${body}`).toString('hex')},v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39`,
      },
    }),
  },
  slack: {
    verify: 'slack',
    keys: texts,
    isTimed: true,
    send: (key: string, body, at) => ({
      headers: {
        'x-slack-request-timestamp': String(at),
        'x-slack-signature': `v0=${hmac(key, `v0:${String(at)}:${body}`).toString('hex')}`,
      },
    }),
  },
  github: {
    verify: 'github',
    keys: texts,
    send: (key: string, body) => ({
      headers: { 'x-hub-signature-256': `sha256=${hmac(key, body).toString('hex')}` },
    }),
  },
  shopify: {
    verify: 'shopify',
    keys: texts,
    send: (key: string, body) => ({
      headers: { 'x-shopify-hmac-sha256': hmac(key, body).toString('base64') },
    }),
  },
  svix: {
    verify: 'svix',
    keys: base64Keys,
    isTimed: true,
    send(key: string, body, at) {
      const webhook = new Webhook(Buffer.from(key), { format: 'raw' });
      return {
        headers: {
          'svix-id': 'msg_1',
          'svix-timestamp': String(at),
          'svix-signature': `v1,${'A'.repeat(43)}= ${webhook.sign('msg_1', new Date(at * 1000), body)}`,
        },
      };
    },
  },
  zoom: {
    verify: 'zoom',
    keys: texts,
    isTimed: true,
    send: (key: string, body, at) => ({
      headers: {
        'x-zm-request-timestamp': String(at),
        'x-zm-signature': `v0=${hmac(key, `v0:${String(at)}:${body}`).toString('hex')}`,
      },
    }),
  },
  'mercado-pago': {
    verify: 'mercado-pago',
    keys: texts,
    isTimed: true,
    isBodyOpen: true,
    send(key: string, _body, at) {
      const signed = `id:ord01;request-id:bb56a2f1;ts:${String(at)};`;
      return {
        headers: {
          'x-signature': `ts=${String(at)},v1=${hmac(key, signed).toString('hex')}`,
          'x-request-id': 'bb56a2f1',
        },
        query: { 'data.id': 'ORD01', type: 'order' },
      };
    },
  },
  asaas: {
    verify: 'asaas',
    keys: texts,
    isBodyOpen: true,
    send: (key: string) => ({ headers: { 'asaas-access-token': key } }),
  },
  'standard with v1a': {
    verify: { scheme: 'standard', tolerance: '10m' },
    tolerance: 600,
    isTimed: true,
    keys: pairs(ed25519, [whpk, whpk]),
    send: (key: KeyObject, body, at) => ({
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(at),
        'webhook-signature': `v1,${'A'.repeat(43)}= v1a,${signWith(null, Buffer.from(`msg_1.${String(at)}.${body}`), key).toString('base64')}`,
      },
    }),
  },
  'a list in any order, with spaces, SHA-1 and milliseconds': {
    verify: {
      scheme: 'signed',
      header: 'X-Sig',
      reads: 'id={id}; ts={timestamp}; h1={signature}',
      signs: '{method} {path}\n{id}:{timestamp}:{body}',
      algorithm: 'sha1',
      encoding: 'base64url',
      tolerance: 60,
    },
    tolerance: 60,
    isTimed: true,
    isUnusual: true,
    keys: texts,
    send(key: string, body, at) {
      const ms = String(at * 1000);
      const signature = hmac(key, `POST /webhooks/partner\nmsg_1:${ms}:${body}`, 'sha1').toString(
        'base64url',
      );
      return { headers: { 'x-sig': ` h1=${signature} ;  ts=${ms}; id=msg_1; other=1` } };
    },
  },
  'SHA-512 of time, url and body, in a header of its own': {
    verify: {
      scheme: 'signed',
      header: 'x-sig',
      signs: '{header:x-partner-timestamp}{url}{body}',
      algorithm: 'sha512',
      encoding: 'hex',
      key: 'hex',
    },
    isTimed: true,
    keys: texts.map(({ own }) => ({ known: Buffer.from(own).toString('hex'), own })),
    send(key: string, body, at) {
      const time = new Date(at * 1000).toISOString();
      const url = 'https://hooks.example/webhooks/partner?a=1&b=%20';
      return {
        headers: {
          'x-partner-timestamp': time,
          'x-sig': hmac(key, `${time}${url}${body}`, 'sha512').toString('hex').toUpperCase(),
        },
        query: { a: '1', b: ' ' },
      };
    },
  },
  'Ed25519 as Discord has it': {
    verify: {
      scheme: 'signed',
      header: 'x-signature-ed25519',
      signs: '{header:x-signature-timestamp}{body}',
      algorithm: 'ed25519',
      encoding: 'hex',
    },
    isTimed: true,
    keys: pairs(ed25519, [hex, whpk, pem]),
    send: (key: KeyObject, body, at) => ({
      headers: {
        'x-signature-timestamp': String(at),
        'x-signature-ed25519': signWith(null, Buffer.from(String(at) + body), key).toString('hex'),
      },
    }),
  },
  RSA: {
    verify: {
      scheme: 'signed',
      header: 'x-sig',
      reads: 'Signature {signature}',
      signs: '{body}',
      algorithm: 'rsa-sha256',
      encoding: 'base64',
    },
    keys: pairs(rsa, [pem, unwrapped]),
    send: (key: KeyObject, body) => ({
      headers: { 'x-sig': `Signature  ${signWith('sha256', Buffer.from(body), key).toString('base64')}` },
    }),
  },
  'ECDSA in DER': {
    verify: {
      scheme: 'signed',
      header: 'x-sig',
      signs: '{body}',
      algorithm: 'ecdsa-p256',
      encoding: 'base64',
    },
    keys: pairs(p256, [pem, oneLine]),
    send: (key: KeyObject, body) => ({
      headers: { 'x-sig': signWith('sha256', Buffer.from(body), key).toString('base64') },
    }),
  },
  'ECDSA as two numbers': {
    verify: {
      scheme: 'signed',
      header: 'x-sig',
      signs: '{body}',
      algorithm: 'ecdsa-p256',
      encoding: 'base64url',
    },
    keys: pairs(p256, [pem, oneLine]),
    send: (key: KeyObject, body) => ({
      headers: {
        'x-sig': signWith('sha256', Buffer.from(body), { key, dsaEncoding: 'ieee-p1363' }).toString(
          'base64url',
        ),
      },
    }),
  },
  'basic authentication': {
    verify: 'basic',
    keys: ['ana:first password of ana', 'ana:sénha: nova'].map((known) => ({ known, own: known })),
    isBodyOpen: true,
    send: (key: string) => ({
      headers: { authorization: `basic  ${Buffer.from(key).toString('base64')}` },
    }),
  },
  'a bearer token': {
    verify: { scheme: 'token', header: 'Authorization' },
    keys: texts,
    isBodyOpen: true,
    send: (key: string) => ({ headers: { authorization: `bearer  ${key}` } }),
  },
  'a token in the query': {
    verify: { scheme: 'token', query: 'token' },
    keys: texts,
    isBodyOpen: true,
    send: (key: string) => ({ headers: {}, query: { token: key, other: '1' } }),
  },
  'JSON Web Tokens': {
    verify: {
      scheme: 'jwt',
      iss: 'partner',
      aud: 'fleet',
      bodyHash: { claim: 'body', encoding: 'base64url' },
    },
    keys: [...texts, ...pairs(ed25519, [whpk]), ...pairs(rsa, [pem]), ...pairs(p256, [oneLine])],
    isTimed: true,
    tolerance: 60,
    send: async (key: string | KeyObject, body, at) => {
      const kinds = { rsa: 'PS256', ec: 'ES256', ed25519: 'EdDSA' } as Record<string, string>;
      const alg = typeof key === 'string' ? 'HS512' : (kinds[key.asymmetricKeyType ?? ''] ?? '');
      const token = await new SignJWT({ body: createHash('sha256').update(body).digest('base64url') })
        .setProtectedHeader({ alg })
        .setIssuer('partner')
        .setAudience(['fleet', 'other'])
        .setNotBefore(at)
        .setExpirationTime(at)
        .sign(typeof key === 'string' ? Buffer.from(key) : key);
      return { headers: { authorization: `Bearer ${token}` } };
    },
  },
  'a function': {
    verify({ method, path, query, headers, body }, { secrets, now }) {
      const at = Number(headers['x-at']);
      if (Math.abs(now / 1000 - at) > 300) throw new Error(`too old: ${secrets.join()}`);
      const content = `${method}${path}${query['a'] ?? ''}${String(at)}`;
      return secrets.some(
        (secret) =>
          createHmac('sha256', secret).update(content).update(body).digest('hex') === headers['x-sig'],
      );
    },
    keys: texts,
    isTimed: true,
    send: (key: string, body, at) => ({
      headers: {
        'x-at': String(at),
        'x-sig': hmac(key, `POST/webhooks/partner1${String(at)}${body}`).toString('hex'),
      },
      query: { a: '1' },
    }),
  },
};

/** What the receiver gets. */
export function deliveryOf(
  { headers, query = {} }: Sent,
  body: string,
  repeated: Pick<RawDelivery, 'repeatedHeaders' | 'repeatedQuery'> = {},
): RawDelivery {
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
  return {
    ...{ stage: 'raw', source: 'partner', receivedAt: NOW, method: 'POST', path: '/webhooks/partner' },
    ...{ search: search.replaceAll('+', '%20'), query, body: Buffer.from(body) },
    headers: { ...headers, 'x-forwarded-proto': 'https', host: 'hooks.example' },
    ...repeated,
  };
}
