import forge from 'node-forge';
import { expect, test } from 'vitest';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { MAX_OPENING_MS, openCertificateInThread } from '../companies/certificate-opener.ts';
import { MAX_PBKDF2_ROUNDS, MAX_BYTES, openCertificate } from '../companies/open-certificate.ts';
import { MAX_OPENINGS } from '../open-provider.ts';
import { company } from './kit/people.ts';
import { openTestProvider } from './kit/test-provider.ts';

type Asn1 = forge.asn1.Asn1;
const { Class, Type, create, oidToDer, toDer } = forge.asn1;

const password = 'ação';

const integer = (hex: string) =>
  create(Class.UNIVERSAL, Type.INTEGER, false, Buffer.from(hex, 'hex').toString('binary'));
const name = (dotted: string) => create(Class.UNIVERSAL, Type.OID, false, oidToDer(dotted).getBytes());
const sequence = (...parts: Asn1[]) => create(Class.UNIVERSAL, Type.SEQUENCE, true, parts);
const octets = (bytes: string) => create(Class.UNIVERSAL, Type.OCTETSTRING, false, bytes);
const tagged = (value: string | Asn1[]) =>
  create(Class.CONTEXT_SPECIFIC, forge.asn1.Type.NONE, typeof value !== 'string', value);
const inOctets = (node: Asn1) => octets(toDer(node).getBytes());

const DATA = '1.2.840.113549.1.7.1';
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6';
const SHROUDED_KEY = '1.2.840.113549.1.12.10.1.2';

/** A file with these contents. The integrity code is optional. */
const file = (contents: readonly Asn1[], ...mac: Asn1[]) =>
  sequence(integer('03'), sequence(name(DATA), tagged([inOctets(sequence(...contents))])), ...mac);

const plain = (...bags: Asn1[]) => sequence(name(DATA), tagged([inOctets(sequence(...bags))]));

/** Encrypts as PBES2 does, with the password in UTF-8. */
function encrypted(...bags: Asn1[]): Asn1 {
  const sealed = forge.pki.encryptPrivateKeyInfo(sequence(...bags), forge.util.encodeUtf8(password), {
    algorithm: 'aes256',
    count: 10,
  });
  const [algorithm, content] = sealed.value as [Asn1, Asn1];
  return sequence(
    name(ENCRYPTED_DATA),
    tagged([sequence(integer('00'), sequence(name(DATA), algorithm, tagged(content.value)))]),
  );
}

/** A key encrypted by PBKDF2 with this number of rounds. */
const pbkdf2Key = (rounds: string) =>
  shrouded(
    sequence(
      name('1.2.840.113549.1.5.13'),
      sequence(
        sequence(name('1.2.840.113549.1.5.12'), sequence(octets('salt'), integer(rounds))),
        sequence(name('2.16.840.1.101.3.4.1.42'), octets('0123456789abcdef')),
      ),
    ),
  );

/** A key encrypted by the key derivation of PKCS#12 with this number of rounds. */
const pkcs12Key = (rounds: string) =>
  shrouded(sequence(name('1.2.840.113549.1.12.1.3'), sequence(octets('saltsalt'), integer(rounds))));

const shrouded = (algorithm: Asn1) =>
  sequence(name(SHROUDED_KEY), tagged([sequence(algorithm, octets('0123456789abcdef'))]));

const mac = (rounds: string) =>
  sequence(
    sequence(
      sequence(name('1.3.14.3.2.26'), create(Class.UNIVERSAL, Type.NULL, false, '')),
      octets('digest'),
    ),
    octets('salt'),
    integer(rounds),
  );

const base64 = (node: Asn1) => Buffer.from(toDer(node).getBytes(), 'binary').toString('base64');

const hexOf = (rounds: number) => rounds.toString(16).padStart(8, '0');
/** Minutes of work. */
const many = hexOf(100_000_000);
const few = hexOf(10);

test.each([
  ['the integrity code', file([plain()], mac(many))],
  ['a key, by the key derivation of PKCS#12', file([plain(pkcs12Key(many))])],
  ['a key inside encrypted content', file([encrypted(pkcs12Key(many))])],
])('stops a file with too many rounds for %s at the time limit', async (_, container) => {
  const clock = manualClock();
  const ended: unknown[] = [];
  const opening = openCertificateInThread({ file: base64(container), password }, clock);
  void opening.then((result) => ended.push(result));

  clock.advance(MAX_OPENING_MS - 1);
  await new Promise(setImmediate);
  expect(ended).toEqual([]);
  clock.advance(1);

  expect(await opening).toBe('too much work');
});

test.each([
  ['a key', file([plain(pbkdf2Key(hexOf(MAX_PBKDF2_ROUNDS + 1)))])],
  ['a key inside encrypted content', file([encrypted(pbkdf2Key(hexOf(MAX_PBKDF2_ROUNDS + 1)))])],
])('rejects a file with too many rounds of PBKDF2 for %s at once', (_, container) => {
  expect(openCertificate(base64(container), password)).toBe('too much work');
});

test.each([
  ['a number of rounds that no machine can represent', file([plain(pkcs12Key('7f'.repeat(200)))])],
  ['a negative number of rounds', file([plain(pbkdf2Key('ffffffff'))])],
])('rejects a file with %s', (_, container) => {
  expect(openCertificate(base64(container), password)).toMatch(/too much work|not a PKCS#12 file/);
});

test.each([
  ['the integrity code', file([plain()], mac(few)), 'wrong password'],
  ['a key, by PBKDF2', file([plain(pbkdf2Key(few))]), 'not a PKCS#12 file'],
  ['a key inside encrypted content', file([encrypted(pkcs12Key(few))]), 'not a PKCS#12 file'],
  ['nothing', file([plain(), encrypted()]), 'no certificate with its key'],
])('names the problem of a file with few rounds for %s', (_, container, problem) => {
  expect(openCertificate(base64(container), password)).toBe(problem);
});

test('rejects a file above the maximum size', () => {
  const sized = (bytes: number) => Buffer.alloc(bytes).toString('base64');

  expect(openCertificate(sized(MAX_BYTES), '')).toBe('not a PKCS#12 file');
  expect(openCertificate(sized(MAX_BYTES + 1), '')).toBe('too large');
});

test('responds 400 to a file that is too large', async () => {
  const { ours } = await openTestProvider();
  await ours.post('/v1/companies', company);
  const certificate = Buffer.alloc(MAX_BYTES + 1).toString('base64');

  expect(await ours.post('/v1/companies/1/certificate', { certificate, password })).toMatchObject({
    status: 400,
    body: { error: 'Bad Request', message: 'certificate: has more than 102400 bytes' },
  });
});

test('serves all other requests and certificates while one takes too long to open', async () => {
  const { ours, theirs, clock } = await openTestProvider();
  await ours.post('/v1/companies', company);
  await theirs.post('/v1/companies', company);
  const ended = new AbortController();
  const hostile = base64(file([plain(pkcs12Key(many))]));
  const opening = ours.post('/v1/companies/1/certificate', { certificate: hostile, password }).finally(() => {
    ended.abort();
  });
  const harmless = base64(file([plain(), encrypted()]));

  expect(await theirs.post('/v1/companies/2/certificate', { certificate: harmless, password })).toMatchObject(
    {
      status: 400,
      body: { message: 'certificate: holds no certificate with its private key' },
    },
  );
  expect((await ours.get('/v1/companies/1')).status).toBe(200);
  expect((await theirs.post('/v1/users', {})).status).toBe(400);
  expect((await ours.put('/v1/companies/1', { name: 'Name' })).status).toBe(200);
  expect(ended.signal.aborted).toBe(false);

  clock.advance(MAX_OPENING_MS);
  expect(await opening).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('takes too long to open') as string },
  });
});

test('limits the certificates that an organization opens at a time', async () => {
  const { ours, theirs, provider } = await openTestProvider();
  await ours.post('/v1/companies', company);
  await theirs.post('/v1/companies', company);
  const release = provider.openings.acquire(ours.organization);
  for (let taken = 1; taken < MAX_OPENINGS; taken += 1) provider.openings.acquire(ours.organization);
  const certificate = base64(file([plain(), encrypted()]));

  expect(await ours.post('/v1/companies/1/certificate', { certificate, password })).toMatchObject({
    status: 429,
    body: {
      error: 'Too Many Requests',
      message: 'An organization can have at most 2 certificates to open at a time',
    },
  });
  // The company is looked up first.
  expect((await ours.post('/v1/companies/7/certificate', { certificate, password })).status).toBe(404);
  expect((await theirs.post('/v1/companies/2/certificate', { certificate, password })).status).toBe(400);
  release();
  for (let time = 0; time <= MAX_OPENINGS; time += 1)
    expect((await ours.post('/v1/companies/1/certificate', { certificate, password })).status).toBe(400);
});
