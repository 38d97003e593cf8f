/** Each known sender against what its own library or documentation shows. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { presetNames } from '../contract/source-verification.ts';
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createVerifier } from './create-verifier.ts';
import { isBodyOpen, optionsToTry } from './read-proof.ts';

interface Published {
  readonly secret: string;
  readonly seconds: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly messageId?: string;
}

const published: Readonly<Record<(typeof presetNames)[number], Published>> = {
  // `generateTestHeaderString` of stripe 23.1.0.
  stripe: {
    secret: 'whsec_test_secret',
    seconds: 1763640000,
    headers: {
      'stripe-signature': 't=1763640000,v1=5709beb1bd0e008bbef66afcc7e3c8503a5189e9a1df590f63c4650cc362c3c7',
    },
    body: '{"id":"evt_test_webhook","object":"event"}',
  },
  // Of Slack's documentation.
  slack: {
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    seconds: 1531420618,
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  },
  // Of GitHub's documentation.
  github: {
    secret: "It's a Secret to Everybody",
    seconds: 0,
    headers: {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    body: 'Hello, World!',
  },
  // As the documentation computes it.
  shopify: {
    secret: 'hush',
    seconds: 0,
    headers: { 'x-shopify-hmac-sha256': createHmac('sha256', 'hush').update('{"id":1}').digest('base64') },
    body: '{"id":1}',
  },
  // Of Svix's documentation.
  svix: {
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    seconds: 1731705121,
    headers: {
      'svix-id': 'msg_loFOjxBNrRLzqYUf',
      'svix-timestamp': '1731705121',
      'svix-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    },
    body: '{"event_type":"ping","data":{"success":true}}',
    messageId: 'msg_loFOjxBNrRLzqYUf',
  },
  // As the documentation computes it.
  zoom: {
    secret: 'secret token',
    seconds: 1739923528,
    headers: {
      'x-zm-request-timestamp': '1739923528',
      'x-zm-signature': `v0=${createHmac('sha256', 'secret token').update('v0:1739923528:{"event":"a"}').digest('hex')}`,
    },
    body: '{"event":"a"}',
  },
  // As the documentation computes it, with the milliseconds that are sent.
  'mercado-pago': {
    secret: 'secret',
    seconds: 1742505638,
    headers: {
      'x-request-id': 'bb56a2f1-6aae-46ac-982e-9dcd3581d08e',
      'x-signature': `ts=1742505638683,v1=${createHmac('sha256', 'secret').update('id:123456;request-id:bb56a2f1-6aae-46ac-982e-9dcd3581d08e;ts:1742505638683;').digest('hex')}`,
    },
    query: { 'data.id': '123456', type: 'payment' },
    body: '{"data":{"id":"123456"}}',
  },
  asaas: {
    secret: '5tLxsL6uoN',
    seconds: 0,
    headers: { 'asaas-access-token': '5tLxsL6uoN' },
    body: '{"event":"PAYMENT_RECEIVED"}',
  },
};

test.each([
  ['the request id is left out where it is not sent', {}, '123', null],
  ['the request id is signed where it is sent', { 'x-request-id': 'r' }, '123', 'mismatch'],
  ['the id is never left out', {}, undefined, 'missing'],
] as const)('mercado-pago: %s', (_what, more, id, reason) => {
  const options = optionsToTry('mercado-pago', ['secret']);
  if (options === undefined) throw new Error('no proof');
  const mac = createHmac('sha256', 'secret').update('id:123;ts:1742505638;').digest('hex');
  const verify = createVerifier(options, { clock: manualClock(1_742_505_638_000) });
  const query: Readonly<Record<string, string>> = id === undefined ? {} : { 'data.id': id };
  const headers = { 'x-signature': `ts=1742505638,v1=${mac}`, ...more };
  const sent = { stage: 'raw', source: 'a', receivedAt: 0, headers, query, body: Buffer.from('{}') } as const;
  if (reason === null) expect(verify(sent)).toMatchObject({ senderVerified: true });
  else expect(() => verify(sent)).toThrow(expect.objectContaining({ code: 'not-verified', reason }) as Error);
});

test.each(presetNames)('%s: what it sends is verified', (name) => {
  const { secret, seconds, headers, body, query = {}, messageId = null } = published[name];
  const options = optionsToTry(name, [secret]);
  if (options === undefined) throw new Error('no proof');
  const verify = createVerifier(options, { clock: manualClock(seconds * 1000) });
  const delivery: RawDelivery = {
    ...{ stage: 'raw', source: name, receivedAt: 0, headers, query, body: Buffer.from(body) },
  };
  const verified = verify(delivery) as VerifiedDelivery;
  expect(verified).toMatchObject({ messageId, messageIdTrusted: messageId !== null });
  expect(isBodyOpen(options)).toBe(name === 'mercado-pago');
});
