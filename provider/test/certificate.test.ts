import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/kernel/time/durations.ts';
import { company } from './kit/people.ts';
import { openTestProvider, type Json } from './kit/test-provider.ts';
import { fieldsOf } from './kit/specification.ts';

/** Files that OpenSSL 3 wrote; all hold one certificate valid from 2026-11-21 to 2027-11-21, 10:40 in Brazil. */
const file = (name: string) =>
  readFileSync(new URL(`certificates/${name}.p12`, import.meta.url)).toString('base64');

const valid = { status: 'valid', issue_date: '2026-11-21', expiration_date: '2027-11-21' };
const none = { status: 'not_provided', issue_date: null, expiration_date: null };

async function openWithCompany() {
  const setup = await openTestProvider();
  const { data } = await setup.ours.post('/v1/companies', company);
  const path = `/v1/companies/${String(data['id'])}`;
  return {
    ...setup,
    store: (certificate: unknown, password: unknown = 'segredo') =>
      setup.ours.post(`${path}/certificate`, { certificate, password }),
    remove: () => setup.ours.remove(`${path}/certificate`),
    stored: async () => (await setup.ours.get(path)).data['certificate'],
  };
}

test.each([
  ['of today: AES-256 and SHA-256', 'rsa-aes', 'segredo'],
  ['of yesterday: RC2, 3DES and SHA-1', 'rsa-rc2', 'segredo'],
  ['with 600,000 rounds of key derivation', 'rsa-600000-rounds', 'segredo'],
  ['with a key on an elliptic curve', 'elliptic', 'segredo'],
  ['with a password that is not ASCII', 'accent', 'ação'],
])('opens a file %s, shows its validity and records an event', async (_, name, password) => {
  const { ours, store, stored } = await openWithCompany();

  const { status, data } = await store(file(name), password);

  expect([status, data]).toEqual([200, valid]);
  expect(Object.keys(data).sort()).toEqual(fieldsOf('certificate'));
  expect(await stored()).toEqual(valid);
  expect((await ours.webhooks()).at(-1)).toMatchObject({
    type: 'company.certificate.updated',
    data: { certificate: valid },
  });
});

test.each([
  ['a wrong password', file('rsa-aes'), 'Segredo', 'password: does not open the certificate'],
  ['no password at all', file('rsa-aes'), '', 'password: does not open the certificate'],
  [
    'a file without its key',
    file('without-key'),
    'segredo',
    'certificate: holds no certificate with its private key',
  ],
  ['what is no base64', 'not base64!', 'segredo', 'certificate: is not a PKCS#12 file in base64'],
  [
    'other bytes',
    Buffer.from('a letter').toString('base64'),
    'segredo',
    'certificate: is not a PKCS#12 file in base64',
  ],
  ['half a file', file('rsa-aes').slice(0, 800), 'segredo', 'certificate: is not a PKCS#12 file in base64'],
  ['a number', 7, 'segredo', 'certificate: expected a non-empty string, received a number'],
  ['a password of null', file('rsa-aes'), null, 'password: is required: expected a string'],
])('rejects %s, and keeps the stored certificate', async (_, certificate, password, message) => {
  const { ours, store, stored } = await openWithCompany();

  expect(await store(certificate, password)).toMatchObject({
    status: 400,
    body: { error: 'Bad Request', message },
  });
  expect(await stored()).toEqual(none);
  expect(await ours.webhooks()).toHaveLength(1);
});

test('rejects a file with any damaged byte', async () => {
  const { store } = await openWithCompany();
  const whole = Buffer.from(file('elliptic'), 'base64');

  const statuses = new Set<number>();
  for (let at = 0; at < whole.length; at += 397) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0xff, at);
    statuses.add((await store(damaged.toString('base64'))).status);
  }
  expect([...statuses]).toEqual([400]);
});

test('rejects a certificate from its last moment on', async () => {
  const { store, clock } = await openWithCompany();
  const expiry = Date.parse('2027-11-21T13:40:37Z');
  clock.advance(expiry - clock.now());

  expect((await store(file('rsa-aes'))).status).toBe(200);
  clock.advance(1);

  expect(await store(file('rsa-aes'))).toMatchObject({
    status: 422,
    body: { error: 'Unprocessable Entity', message: 'The certificate expired on 2027-11-21' },
  });
});

test('removes a certificate once, with an event', async () => {
  const { ours, store, remove, stored, clock } = await openWithCompany();
  await store(file('rsa-aes'));
  clock.advance(DAY_MS);

  const { status, data } = await remove();

  expect([status, data]).toEqual([200, { status: 'not_provided' }]);
  expect(await stored()).toEqual(none);
  expect((await ours.webhooks()).at(-1)).toMatchObject({
    type: 'company.certificate.updated',
    data: { certificate: none, updated_at: '2026-03-11T12:00:00.000Z' } satisfies Json,
  });
  expect(await remove()).toMatchObject({ status: 422, body: { error: 'Unprocessable Entity' } });
});
