/** Senders with signatures of their own: good and forged, in rotation, with skewed clocks, repeats and replays. */
import { createHash, createHmac, generateKeyPairSync, sign as signWith, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { SourceVerification } from '../contract/source-verification.ts';
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createVerifier } from './create-verifier.ts';
import { readProof } from './read-proof.ts';
import type { VerifyOptions } from './verify-options.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const SECONDS = NOW / 1000;
const BODY = '{"type":"charge.created","data":{"id":1}}';

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

interface Sender {
  readonly verify: SourceVerification;
  /** What the receiver has, and what the sender signs with. */
  readonly keys: readonly { readonly known: string; readonly own: string | KeyObject }[];
  readonly send: (key: never, body: string, at: number) => Sent | Promise<Sent>;
  readonly isTimed?: true;
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

const senders: Readonly<Record<string, Sender>> = {
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

function optionsOf({ verify }: Pick<Sender, 'verify'>, secrets: readonly string[]): VerifyOptions {
  const { proof, mistakes } = readProof(verify);
  if (proof === undefined) throw new Error(JSON.stringify(mistakes));
  return { ...proof, secrets, messageIdHeader: 'webhook-id' } as VerifyOptions;
}

async function verifying(
  sender: Sender,
  sent: Sent,
  {
    body = BODY,
    secrets = sender.keys.map(({ known }) => known),
    ...more
  }: {
    readonly body?: string;
    readonly secrets?: readonly string[];
  } & Pick<RawDelivery, 'repeatedHeaders' | 'repeatedQuery'> = {},
): Promise<VerifiedDelivery> {
  const query = sent.query ?? {};
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
  return createVerifier(optionsOf(sender, secrets), { clock: manualClock(NOW) })({
    ...{ stage: 'raw', source: 'partner', receivedAt: NOW, method: 'POST', path: '/webhooks/partner' },
    ...{ search: search.replaceAll('+', '%20'), query, body: Buffer.from(body) },
    headers: { ...sent.headers, 'x-forwarded-proto': 'https', host: 'hooks.example' },
    ...more,
  });
}

const notVerified = (reason?: string) =>
  expect.objectContaining({ code: 'not-verified', ...(reason !== undefined && { reason }) }) as Error;

describe.each(Object.entries(senders))('%s', (_name, sender) => {
  const send = async (key: unknown, body = BODY, at = SECONDS): Promise<Sent> =>
    Promise.resolve(sender.send(key as never, body, at));
  const [first, ...others] = sender.keys;
  const good = () => send(first?.own);

  test('is verified under each of the keys', async () => {
    for (const { own } of sender.keys)
      expect(await verifying(sender, await send(own))).toMatchObject({ senderVerified: true });
  });

  test('is not verified under a key that was taken away', async () => {
    const secrets = others.map(({ known }) => known);
    await expect(verifying(sender, await good(), { secrets })).rejects.toThrow(notVerified('mismatch'));
  });

  test('is not verified without its proof', async () => {
    await expect(verifying(sender, { headers: {} })).rejects.toThrow(notVerified());
  });

  test.runIf(sender.isBodyOpen !== true)('is not verified with another body', async () => {
    for (const body of [`${BODY}\n`, BODY.replace('1', '2'), ''])
      await expect(verifying(sender, await good(), { body })).rejects.toThrow(notVerified('mismatch'));
  });

  test('is not verified when any character of its proof is changed', async () => {
    const sent = await good();
    const places = (['headers', 'query'] as const).flatMap((place) =>
      Object.entries(sent[place] ?? {}).flatMap(([name, value]) =>
        ['type', 'other'].includes(name) ? [] : [[place, name, value] as const],
      ),
    );
    for (const [place, name, value] of places)
      for (const { 0: run, index } of value.matchAll(/[\w+/=-]{3,}/g)) {
        // What the sender does not sign may change.
        if (/^(?:A+=|other=.*|v0=6ffb.*)$/.test(run)) continue;
        const at = index + Math.floor(run.length / 2);
        const changed = value.slice(0, at) + (value[at] === '1' ? '2' : '1') + value.slice(at + 1);
        const forged = { ...sent, [place]: { ...sent[place], [name]: changed } };
        await expect(verifying(sender, forged), `${name}: ${changed}`).rejects.toThrow(notVerified());
      }
  });

  test('is not verified with a header of the proof that was sent twice', async () => {
    const sent = await good();
    if (typeof sender.verify === 'function') return;
    for (const name of Object.keys(sent.headers))
      await expect(verifying(sender, sent, { repeatedHeaders: [name] })).rejects.toThrow(
        notVerified('repeated'),
      );
    for (const name of Object.keys(sent.query ?? {}).slice(0, sender.verify === 'mercado-pago' ? 1 : 0))
      await expect(verifying(sender, sent, { repeatedQuery: [name] })).rejects.toThrow(
        notVerified('repeated'),
      );
  });

  test('stores no header of the proof', async () => {
    const sent = await good();
    const options = { ...optionsOf(sender, [first?.known ?? '']), storedHeaders: Object.keys(sent.headers) };
    const verify = createVerifier(options, { clock: manualClock(NOW) });
    const delivery = { ...sent, path: '/webhooks/partner', method: 'POST', body: Buffer.from(BODY) };
    const stored = await Promise.resolve()
      .then(() => verify(delivery as unknown as RawDelivery))
      .then(({ headers }) => headers)
      .catch(() => ({}));
    const secret = Object.keys(stored).filter((name) => /sig|token|authorization/.test(name));
    if (typeof sender.verify !== 'function')
      expect(secret.filter((name) => !name.includes('timestamp'))).toEqual([]);
  });

  test.runIf(sender.isTimed)('is verified within the tolerance, and never as a replay', async () => {
    const tolerance = sender.tolerance ?? 300;
    const own = first?.own;
    // The end of validity of a token is exclusive.
    const edge = tolerance - 1;
    for (const at of [SECONDS - edge, SECONDS])
      expect(await verifying(sender, await send(own, BODY, at))).toMatchObject({ senderVerified: true });
    const late = await send(own, BODY, SECONDS - tolerance - 1);
    const isFunction = typeof sender.verify === 'function';
    await expect(verifying(sender, late)).rejects.toThrow(notVerified(isFunction ? 'mismatch' : 'too-old'));
    const early = await send(own, BODY, SECONDS + tolerance + 1);
    await expect(verifying(sender, early)).rejects.toThrow(notVerified(isFunction ? 'mismatch' : 'too-new'));
  });
});
