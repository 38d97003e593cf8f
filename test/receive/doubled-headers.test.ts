/** A header that says who sent a delivery is sent once. Node joins some that come twice, and drops others. */
import { describe, expect, test } from 'vitest';
import type { Portaria } from '../../src/compose.ts';
import { connect } from '../support/raw-connection.ts';
import { composedPortaria } from '../support/composed-portaria.ts';
import { SECRET, signatureHeaders } from '../support/signing.ts';

const BODY = '{"type":"charge.created","data":{"id":7,"type":"fee","status":"paid"}}';

let portaria: Portaria;

async function start(settings: Readonly<Record<string, string>>): Promise<number> {
  portaria = await composedPortaria(settings);
  return (await portaria.start()).port;
}

type Header = readonly [name: string, value: string];

async function post(port: number, headers: readonly Header[], path = '/webhooks') {
  const lines = [['Host', 'localhost'], ['Content-Length', String(BODY.length)], ...headers];
  const connection = await connect(port);
  connection.send(
    `POST ${path} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${BODY}`,
  );
  const { status, body } = await connection.answer();
  connection.socket.destroy();
  return { status, message: (JSON.parse(body) as { message?: string }).message };
}

const schemes = {
  standard: [{ PORTARIA_VERIFY: 'standard' }, Object.entries(signatureHeaders('standard', BODY, 'msg_1'))],
  hmac: [{ PORTARIA_VERIFY: 'hmac' }, Object.entries(signatureHeaders('hmac', BODY))],
  token: [{ PORTARIA_VERIFY: 'token' }, [['X-Webhook-Token', SECRET]]],
  // Of this one Node keeps the first and drops the second.
  'token in authorization': [
    { PORTARIA_VERIFY: 'token', PORTARIA_VERIFY_HEADER: 'authorization' },
    [['Authorization', SECRET]],
  ],
} as const satisfies Record<string, readonly [object, readonly Header[]]>;

const cases = Object.entries(schemes).flatMap(([name, [settings, headers]]) =>
  [...headers, ...(name === 'standard' ? [] : [['Webhook-Id', 'msg_1'] as const])].map(
    ([header]) => [header, name, settings, headers] as const,
  ),
);

describe.each(['/webhooks', '/webhooks?through-the-app'])('at %s', (path) => {
  test.each(cases)(
    '%s sent twice under %s fits nothing, whichever comes first',
    async (header, _, settings, headers) => {
      const port = await start({ ...settings, PORTARIA_SECRETS: SECRET });
      expect((await post(port, headers, path)).status).toBe(202);

      const value = headers.find(([name]) => name === header)?.[1] ?? 'msg_1';
      const others = headers.filter(([name]) => name !== header);
      for (const wrong of ['wrong', value, 'v1,AAAA', ''])
        for (const pair of [
          [value, wrong],
          [wrong, value],
        ])
          expect(await post(port, [...others, ...pair.map((one) => [header, one] as const)], path)).toEqual({
            status: 401,
            message: `The header ${header.toLowerCase()} was sent more than once; send it once`,
          });
    },
  );
});

test('headers that decide nothing may come twice', async () => {
  const port = await start({ PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: SECRET });
  const twice: readonly Header[] = [
    ['X-Webhook-Token', SECRET],
    ['Via', '1.1 a'],
    ['Via', '1.1 b'],
    ['User-Agent', 'a'],
    ['User-Agent', 'b'],
  ];
  expect((await post(port, twice)).status).toBe(202);
});

test('without a scheme a message id that comes twice is none', async () => {
  const port = await start({ PORTARIA_MESSAGE_ID_HEADER: 'from', PORTARIA_TRUST_MESSAGE_ID: 'true' });
  const twice: readonly Header[] = [
    ['From', 'msg_1'],
    ['From', 'msg_2'],
  ];
  expect((await post(port, twice)).status).toBe(202);
  const [event] = await portaria.store.events({}, { order: 'newest', limit: 1 });
  expect(event).toMatchObject({ messageId: null, messageIdTrusted: false });
});
