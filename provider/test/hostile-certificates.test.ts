import forge from 'node-forge';
import { expect, test } from 'vitest';
import { createCertificateOpener } from '../companies/certificate-opener.ts';
import { MAX_ROUNDS, takesTooManyRounds } from '../companies/key-derivation-rounds.ts';
import { MAX_BYTES, openCertificate } from '../companies/open-certificate.ts';
import { MAX_OPENINGS } from '../open-provider.ts';
import { company } from './people.ts';
import { openTestProvider } from './test-provider.ts';

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

/** A file of these contents; without a code of its own it can be opened all the same. */
const file = (contents: readonly Asn1[], ...mac: Asn1[]) =>
  sequence(integer('03'), sequence(name(DATA), tagged([inOctets(sequence(...contents))])), ...mac);

const plain = (...bags: Asn1[]) => sequence(name(DATA), tagged([inOctets(sequence(...bags))]));

/** As PBES2 does, with the password in UTF-8. */
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

/** A key that takes so many rounds, by PBKDF2. */
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

/** And by the derivation of PKCS#12 itself. */
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

const hexOf = (rounds: number) => rounds.toString(16).padStart(6, '0');
const tooMany = hexOf(MAX_ROUNDS + 1);
const half = hexOf(MAX_ROUNDS / 2 + 1);
const few = hexOf(10);

test.each([
  ['the integrity code', file([plain()], mac(tooMany))],
  ['a key, by PBKDF2', file([plain(pbkdf2Key(tooMany))])],
  ['a key, by the derivation of PKCS#12', file([plain(pkcs12Key(tooMany))])],
  ['a key within what is encrypted itself', file([encrypted(pbkdf2Key(tooMany))])],
  ['two keys together', file([plain(pbkdf2Key(half)), encrypted(pkcs12Key(half))])],
  ['a code and a key together', file([plain(pkcs12Key(half))], mac(half))],
  ['a number that no machine can hold', file([plain(pkcs12Key('7f'.repeat(200)))])],
  ['a number that looks negative', file([plain(pbkdf2Key('ffffffff'))])],
])('rounds of %s are counted before they are made', (_, container) => {
  expect(openCertificate(base64(container), password)).toBe('too much work');
});

test.each([
  ['the integrity code', file([plain()], mac(few)), 'wrong password'],
  ['a key, by PBKDF2', file([plain(pbkdf2Key(few))]), 'not a PKCS#12 file'],
  ['a key within what is encrypted itself', file([encrypted(pkcs12Key(few))]), 'not a PKCS#12 file'],
  ['nothing', file([plain(), encrypted()]), 'no certificate with its key'],
])(
  'the same file with few rounds for %s is refused for what else is wrong with it',
  (_, container, problem) => {
    expect(openCertificate(base64(container), password)).toBe(problem);
  },
);

test('as many rounds as are allowed are not too many', () => {
  const allowed = file([plain(pkcs12Key(hexOf(MAX_ROUNDS - 1)))], mac('01'));

  expect(takesTooManyRounds(allowed, [password])).toBe(false);
});

test('the largest file is read, a larger one is not', () => {
  const sized = (bytes: number) => Buffer.alloc(bytes).toString('base64');

  expect(openCertificate(sized(MAX_BYTES), '')).toBe('not a PKCS#12 file');
  expect(openCertificate(sized(MAX_BYTES + 1), '')).toBe('too large');
});

test.each([
  [
    base64(file([plain(pbkdf2Key(tooMany))])),
    'certificate: takes more than 200000 rounds of key derivation to open',
  ],
  [Buffer.alloc(MAX_BYTES + 1).toString('base64'), 'certificate: has more than 102400 bytes'],
])('whoever sends such a file is told', async (certificate, message) => {
  const { ours } = await openTestProvider();
  await ours.post('/v1/companies', company);

  expect(await ours.post('/v1/companies/1/certificate', { certificate, password })).toMatchObject({
    status: 400,
    body: { error: 'Bad Request', message },
  });
});

/** About a second of computing; what is allowed may take several. */
const slow = base64(file([plain(pkcs12Key(hexOf(MAX_ROUNDS / 8)))]));

test('while a certificate takes long to open, everybody else is answered', async () => {
  const { ours, theirs } = await openTestProvider();
  await ours.post('/v1/companies', company);
  const over = new AbortController();
  const opening = ours.post('/v1/companies/1/certificate', { certificate: slow, password }).finally(() => {
    over.abort();
  });

  let answered = 0;
  while (!over.signal.aborted) {
    // Reads and changes, one after another.
    expect((await ours.get('/v1/companies/1')).status).toBe(200);
    expect((await theirs.post('/v1/users', {})).status).toBe(400);
    expect((await ours.put('/v1/companies/1', { name: `Name ${String(answered)}` })).status).toBe(200);
    answered += 3;
    await new Promise(setImmediate);
  }

  // None, while the file was opened in the thread that answers.
  expect(answered).toBeGreaterThan(30);
  expect(await opening).toMatchObject({
    status: 400,
    body: { message: 'certificate: is not a PKCS#12 file in base64' },
  });
});

test('an organization has so many certificates to open at a time; others have theirs', async () => {
  const { ours, theirs, provider } = await openTestProvider();
  await ours.post('/v1/companies', company);
  await theirs.post('/v1/companies', company);
  const leave = provider.openings.take(ours.organization);
  for (let taken = 1; taken < MAX_OPENINGS; taken += 1) provider.openings.take(ours.organization);
  const certificate = base64(file([plain(), encrypted()]));

  expect(await ours.post('/v1/companies/1/certificate', { certificate, password })).toMatchObject({
    status: 429,
    body: {
      error: 'Too Many Requests',
      message: 'An organization has at most 2 certificates to open at a time',
    },
  });
  // What the company is, is looked at first.
  expect((await ours.post('/v1/companies/7/certificate', { certificate, password })).status).toBe(404);
  expect((await theirs.post('/v1/companies/2/certificate', { certificate, password })).status).toBe(400);
  leave();
  for (let time = 0; time <= MAX_OPENINGS; time += 1)
    expect((await ours.post('/v1/companies/1/certificate', { certificate, password })).status).toBe(400);
});

test('a thread that ends takes what it was opening with it, and the next file starts another', async () => {
  const opener = createCertificateOpener();
  const opening = opener.open(slow, password);
  await opener.close();

  await expect(opening).rejects.toThrow('the thread that opens certificates ended');
  expect(await opener.open(base64(file([plain()])), '')).toBe('no certificate with its key');
  await opener.close();
});
